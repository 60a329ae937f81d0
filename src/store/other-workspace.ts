import { enterWorkspace, type WorkspaceTransaction } from './database.ts';

/** Does a part of a transaction in the workspace on the other side of a grant. Meanwhile the transaction sees that one
 *  alone, so nothing else may be going on in it. */
export async function inOtherWorkspace<Result>(
  transaction: WorkspaceTransaction,
  { own, other }: { own: string; other: string },
  work: () => Promise<Result>,
): Promise<Result> {
  await enterWorkspace(transaction, other);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    // where a statement failed, the transaction can do nothing more but be undone
    await enterWorkspace(transaction, own).catch(() => undefined);
    throw error;
  }
  await enterWorkspace(transaction, own);
  return result;
}

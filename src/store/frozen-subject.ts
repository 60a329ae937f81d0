import type { FrozenAgent } from '../core/frozen.ts';
import type { WorkspaceTransaction } from './database.ts';

export interface FrozenSubject {
  contentHash: string;
  frozen: FrozenAgent;
}

/** Keeps what answers in a run. What has the same hash is there already. */
export async function keepFrozenSubjects(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  subjects: readonly FrozenSubject[],
): Promise<void> {
  if (subjects.length === 0) return;
  await transaction
    .insertInto('frozen_subject')
    .values(
      subjects.map(({ contentHash, frozen }) => ({
        workspace_id: workspaceId,
        content_hash: contentHash,
        body: JSON.stringify(frozen),
      })),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'content_hash']).doNothing())
    .execute();
}

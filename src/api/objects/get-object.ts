import { AssayError } from '../../core/errors.ts';
import { nounWords } from '../../core/noun-words.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { findNamed, type Named, type NamedTable } from '../../store/named.ts';
import { locate } from '../call/locate.ts';
import type { OperationContext } from '../call/operation.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { type ShownObject, showObject } from './shown-object.ts';

/** The object that an id or name means. Throws `not_found`. */
export async function getObject<Document extends { name: string }, Stored extends Named, Prepared>(
  context: OperationContext,
  kind: ObjectKindOf<Document, Stored, Prepared>,
  reference: string,
): Promise<ShownObject<Document> & { stored: Stored }> {
  const { program, workspace } = await locate(context, kind.table, reference);
  return program.database.inSnapshot(workspace.id, async (transaction) => {
    const named = await requireNamed(transaction, workspace.id, kind.table, reference);
    return showObject(transaction, workspace.id, kind, named);
  });
}

/** The object that an id or name means. Throws `not_found`. */
export async function requireNamed(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  table: NamedTable,
  reference: string,
  field = 'id',
): Promise<Named> {
  const found = (await findNamed(transaction, workspaceId, table, [reference])).get(reference);
  if (found !== undefined) return found;
  const noun = nounWords[table];
  throw new AssayError('not_found', `There is no ${noun} "${reference}".`, [
    { field, value: reference, message: `names no ${noun}` },
  ]);
}

import { sql } from 'kysely';
import { AssayError } from '../core/errors.ts';
import type { WorkspaceTransaction } from './database.ts';

/** Writers of the workspace's objects take turns until their transaction ends, so that comparing and then writing is one
 *  step. Who freezes them waits for the writer, and sees all or nothing of what it did.
 *  Throws `not_found` where the workspace was archived in the meantime. */
export async function lockDefinitions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  use: 'write' | 'freeze',
): Promise<void> {
  const lock = use === 'write' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(hashtextextended(${`assay definitions ${workspaceId}`}, 0))`.execute(transaction);
  // by a statement of its own, which sees what the one that had the lock has done
  const archived = await transaction
    .selectFrom('workspace')
    .select('name')
    .where('id', '=', workspaceId)
    .where('archived_at', 'is not', null)
    .executeTakeFirst();
  if (archived !== undefined) throw new AssayError('not_found', `There is no workspace "${archived.name}".`);
}

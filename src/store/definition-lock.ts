import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';

/** Writers of the workspace's objects take turns until their transaction ends, so that comparing and then writing is one
 *  step. Who freezes them waits for the writer, and sees all or nothing of what it did. */
export async function lockDefinitions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  use: 'write' | 'freeze',
): Promise<void> {
  const lock = use === 'write' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`;
  await sql`select ${lock}(hashtextextended(${`assay definitions ${workspaceId}`}, 0))`.execute(transaction);
}

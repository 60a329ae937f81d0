import type { Kysely } from 'kysely';
import type { FrozenAgent } from '../core/frozen.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';

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

export async function readFrozenSubject(
  db: Kysely<Schema>,
  workspaceId: string,
  contentHash: string,
): Promise<FrozenAgent | undefined> {
  const row = await db
    .selectFrom('frozen_subject')
    .select('body')
    .where('workspace_id', '=', workspaceId)
    .where('content_hash', '=', contentHash)
    .executeTakeFirst();
  return row?.body;
}

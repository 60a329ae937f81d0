import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { type Named, writeName } from './named.ts';

/** A page of the unarchived agents, by name, after the name `after`. */
export function listAgents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after?: string | undefined; limit?: number },
): Promise<Named[]> {
  return transaction
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after as string))
    .orderBy('name')
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute();
}

export async function insertAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agent: Named,
): Promise<void> {
  const insert = transaction.insertInto('agent').values({ workspace_id: workspaceId, ...agent });
  await writeName('agent', agent.name, insert.execute());
}

/** Notes that its versions or deployments have changed. */
export async function touchAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<void> {
  await transaction
    .updateTable('agent')
    .set({ revision: sql`revision + 1`, updated_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { type Named, writeName } from './named.ts';

function agents(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .orderBy('name');
}

/** The unarchived agents of the workspace, or those of these names, by name. */
export function readAgents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<Named[]> {
  return agents(transaction, workspaceId)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .execute();
}

/** The first `limit` of them after the name `after`. */
export function listAgents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Named[]> {
  return agents(transaction, workspaceId)
    .$if(after !== undefined, (query) => query.where('name', '>', after as string))
    .limit(limit)
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

import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, type Named, writeName } from './named.ts';

/** Where an agent is from that another workspace provides. */
export interface Provider {
  workspaceId: string;
  /** Name of that workspace; where the grant has ended, the one that it had then. */
  workspace: string;
  agentId: string;
}

export interface StoredAgent extends Named {
  /** null: it is of this workspace. */
  provider: Provider | null;
}

/** A provided agent has no versions and deployments of its own. */
export interface ProvidedAgent extends StoredAgent {
  provider: Provider;
}

/** The unarchived agents of the workspace, or those of these names, by name. */
export async function readAgents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredAgent[]> {
  const rows = await agents(transaction, workspaceId)
    .where('archived_at', 'is', null)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
  return withProviders(transaction, rows);
}

/** Those agents of these ids that another workspace provides, whether it still does so or not. */
export async function readProvidedAgents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<ProvidedAgent[]> {
  const rows = await agents(transaction, workspaceId)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('provider_agent_id', 'is not', null)
    .execute();
  const found = await withProviders(transaction, rows);
  return found.filter((agent): agent is ProvidedAgent => agent.provider !== null);
}

type AgentRow = Named &
  Record<'provider_workspace_id' | 'provider_agent_id' | 'provider_last_name', string | null>;

function agents(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('agent')
    .select(['id', 'name', 'provider_workspace_id', 'provider_agent_id', 'provider_last_name'])
    .where('workspace_id', '=', workspaceId);
}

async function withProviders(
  transaction: WorkspaceTransaction,
  rows: readonly AgentRow[],
): Promise<StoredAgent[]> {
  const standing = rows.filter(({ provider_last_name }) => provider_last_name === null);
  const providerIds = standing.flatMap(({ provider_workspace_id }) => provider_workspace_id ?? []);
  const workspaces =
    providerIds.length === 0
      ? []
      : await transaction
          .selectFrom('workspace')
          .select(['id', 'name'])
          .where('id', '=', sql<string>`any(${providerIds})`)
          .execute();
  const names = new Map(workspaces.map(({ id, name }) => [id, name]));
  return rows.map(
    ({
      id,
      name,
      provider_workspace_id: workspaceId,
      provider_agent_id: agentId,
      provider_last_name: lastName,
    }) => ({
      id,
      name,
      provider:
        workspaceId === null || agentId === null
          ? null
          : { workspaceId, agentId, workspace: lastName ?? names.get(workspaceId) ?? workspaceId },
    }),
  );
}

/** The agent that stands here for one of another workspace, archived or not. */
export async function findProvided(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  provider: Pick<Provider, 'workspaceId' | 'agentId'>,
): Promise<(Named & { isArchived: boolean }) | undefined> {
  const row = await transaction
    .selectFrom('agent')
    .select(['id', 'name', 'archived_at'])
    .where('workspace_id', '=', workspaceId)
    .where('provider_workspace_id', '=', provider.workspaceId)
    .where('provider_agent_id', '=', provider.agentId)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, isArchived: row.archived_at !== null };
}

/** What the workspace that provided the agent was called when the grant ended; null: it stands, and the present name
 *  counts. */
export async function noteProviderName(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentId: string,
  name: string | null,
): Promise<void> {
  await transaction
    .updateTable('agent')
    .set({ provider_last_name: name })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .execute();
}

/** How many unarchived test cases test the agent, and the names of the first few. */
export async function casesOfAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentId: string,
  most: number,
): Promise<{ count: number; names: string[] }> {
  const rows = await transaction
    .selectFrom('test_case')
    .select(['name', sql<number>`count(*) over ()`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .limit(most)
    .execute();
  return { count: rows[0]?.count ?? 0, names: rows.map(({ name }) => name) };
}

export async function insertAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name }: Named,
  provider?: Pick<Provider, 'workspaceId' | 'agentId'>,
): Promise<void> {
  const insert = transaction.insertInto('agent').values({
    workspace_id: workspaceId,
    id,
    name,
    provider_workspace_id: provider?.workspaceId ?? null,
    provider_agent_id: provider?.agentId ?? null,
  });
  await writeName('agent', name, insert.execute());
}

/** Gives an agent this name, archived or not, and notes that it has changed. It is unarchived then. */
export async function updateAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name }: Named,
): Promise<void> {
  const update = transaction
    .updateTable('agent')
    .set({ name, archived_at: null, ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id);
  await writeName('agent', name, update.execute());
}

import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, writeName } from './named.ts';

export interface Environment {
  id: string;
  name: string;
  /** Real people and systems are behind it. */
  live: boolean;
}

/** The unarchived environments of the workspace, or those of these names, by name. */
export function listEnvironments(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<Environment[]> {
  return transaction
    .selectFrom('environment')
    .select(['id', 'name', 'live'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
}

export async function insertEnvironment(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  environment: Environment,
): Promise<void> {
  const insert = transaction.insertInto('environment').values({ workspace_id: workspaceId, ...environment });
  await writeName('environment', environment.name, insert.execute());
}

export async function updateEnvironment(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, name, live }: Environment,
): Promise<void> {
  const update = transaction
    .updateTable('environment')
    .set({ name, live, ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id);
  await writeName('environment', name, update.execute());
}

/** Agents that answer in the environment, each with its version. */
export function deployedIn(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  environmentId: string,
): Promise<{ agent: string; version: string }[]> {
  return transaction
    .selectFrom('deployment as d')
    .innerJoin('agent as a', (join) =>
      join.onRef('a.id', '=', 'd.agent_id').onRef('a.workspace_id', '=', 'd.workspace_id'),
    )
    .innerJoin('agent_version as v', (join) =>
      join.onRef('v.id', '=', 'd.version_id').onRef('v.workspace_id', '=', 'd.workspace_id'),
    )
    .select(['a.name as agent', 'v.name as version'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.environment_id', '=', environmentId)
    .where('a.archived_at', 'is', null)
    .orderBy('a.name')
    .execute();
}

/** Servers with a target of their own in the environment: one that is not simply real. */
export function targetedIn(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  environmentId: string,
): Promise<{ server: string; mode: 'real' | 'mock' | 'pass-through' }[]> {
  return transaction
    .selectFrom('mcp_target as t')
    .innerJoin('mcp_server as s', (join) =>
      join.onRef('s.id', '=', 't.server_id').onRef('s.workspace_id', '=', 't.workspace_id'),
    )
    .select(['s.name as server', 't.mode'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.environment_id', '=', environmentId)
    .where('s.archived_at', 'is', null)
    .where(({ or, eb }) => or([eb('t.mode', '<>', 'real'), eb('t.endpoint', 'is not', null)]))
    .orderBy('s.name')
    .execute();
}

/** Names of the unarchived test cases of the environment. */
export async function casesIn(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  environmentId: string,
): Promise<string[]> {
  const rows = await transaction
    .selectFrom('test_case')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('environment_id', '=', environmentId)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

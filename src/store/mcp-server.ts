import { type Kysely, sql } from 'kysely';
import type { McpIsolation, McpProfile, TargetMode } from '../core/documents/mcp-server.ts';
import type { SealedTransport } from '../core/frozen.ts';
import type { DiscoveredTool } from '../core/ports.ts';
import type { WorkspaceTransaction } from './database.ts';
import { changedNow, writeName } from './named.ts';
import type { Schema } from './schema.ts';

export interface StoredServer {
  id: string;
  name: string;
  transport: SealedTransport;
  /** How a file writes each secret, by its place in the transport: `env.TOKEN`, `headers.Authorization`. */
  secretTemplates: Record<string, string>;
  profile: McpProfile;
  isolation: McpIsolation;
  /** null: not known. */
  tools: DiscoveredTool[] | null;
  /** When the server listed its tools; null: they are not known. */
  toolsAt: Date | null;
}

export interface StoredTarget {
  serverId: string;
  environmentId: string;
  mode: TargetMode;
  endpoint: string | null;
}

/** The unarchived MCP servers of the workspace, or those of these names, by name. */
export function readServers(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredServer[]> {
  return transaction
    .selectFrom('mcp_server')
    .select([
      'id',
      'name',
      'transport',
      'secret_templates as secretTemplates',
      'profile',
      'isolation',
      'tools',
      'tools_at as toolsAt',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .$if(names !== undefined, (query) => query.where('name', '=', sql<string>`any(${names})`))
    .orderBy('name')
    .execute();
}

/** What unarchived servers of these ids are now. */
export function readServersById(
  db: Kysely<Schema>,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<StoredServer, 'id' | 'name' | 'transport' | 'tools'>[]> {
  return db
    .selectFrom('mcp_server')
    .select(['id', 'name', 'transport', 'tools'])
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .where('id', '=', sql<string>`any(${ids})`)
    .execute();
}

/** What lists say of these servers. */
export function readServerFacts(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; transport: SealedTransport['type']; tools: number | null; toolsAt: Date | null }[]> {
  return transaction
    .selectFrom('mcp_server')
    .select([
      'id',
      sql<SealedTransport['type']>`transport ->> 'type'`.as('transport'),
      sql<number | null>`json_array_length(tools)`.as('tools'),
      'tools_at as toolsAt',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<string>`any(${ids})`)
    .execute();
}

export async function insertServer(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  server: StoredServer,
): Promise<void> {
  const insert = transaction
    .insertInto('mcp_server')
    .values({ workspace_id: workspaceId, id: server.id, name: server.name, ...columns(server) });
  await writeName('mcp_server', server.name, insert.execute());
}

export async function updateServer(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  server: StoredServer,
): Promise<void> {
  const update = transaction
    .updateTable('mcp_server')
    .set({ name: server.name, ...columns(server), ...changedNow })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', server.id);
  await writeName('mcp_server', server.name, update.execute());
}

/** Keeps what the server said of its tools, which is no change of what people say of the server. */
export async function writeTools(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { id, tools, toolsAt }: { id: string; tools: DiscoveredTool[]; toolsAt: Date },
): Promise<void> {
  await transaction
    .updateTable('mcp_server')
    .set({ tools: JSON.stringify(tools), tools_at: toolsAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

function columns({ transport, secretTemplates, profile, isolation, tools, toolsAt }: StoredServer) {
  return {
    transport: JSON.stringify(transport),
    secret_templates: JSON.stringify(secretTemplates),
    profile,
    isolation,
    tools: tools === null ? null : JSON.stringify(tools),
    tools_at: toolsAt,
  };
}

export function readTargets(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  serverIds: readonly string[],
): Promise<StoredTarget[]> {
  return transaction
    .selectFrom('mcp_target')
    .select(['server_id as serverId', 'environment_id as environmentId', 'mode', 'endpoint'])
    .where('workspace_id', '=', workspaceId)
    .where('server_id', '=', sql<string>`any(${serverIds})`)
    .execute();
}

export async function writeTarget(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { serverId, environmentId, mode, endpoint }: StoredTarget,
): Promise<void> {
  await transaction
    .insertInto('mcp_target')
    .values({ workspace_id: workspaceId, server_id: serverId, environment_id: environmentId, mode, endpoint })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'server_id', 'environment_id']).doUpdateSet({ mode, endpoint }),
    )
    .execute();
}

import { sql } from 'kysely';
import type { AgentVersionDocument } from '../core/documents/agent.ts';
import type { FrozenAgent } from '../core/frozen.ts';
import type { WorkspaceTransaction } from './database.ts';

export type VersionDefinition = Omit<AgentVersionDocument, 'name' | 'status'>;

export interface VersionName {
  id: string;
  agentId: string;
  name: string;
  status: 'draft' | 'active';
}

export interface StoredVersion extends VersionName {
  /** Prompts, skills and servers by name. */
  definition: VersionDefinition;
  /** What the names stood for when the version became active, with targets left at `real`; null in a draft. */
  frozen: FrozenAgent | null;
}

const columns = ['id', 'agent_id as agentId', 'name', 'status', 'definition', 'frozen'] as const;

/** All versions of these agents, oldest first. */
export function readVersions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<StoredVersion[]> {
  return versions(transaction, workspaceId, agentIds).select(columns).execute();
}

/** The same without what they say, for lists. */
export function readVersionNames(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<VersionName[]> {
  return versions(transaction, workspaceId, agentIds)
    .select(['id', 'agent_id as agentId', 'name', 'status'])
    .execute();
}

function versions(transaction: WorkspaceTransaction, workspaceId: string, agentIds: readonly string[]) {
  return transaction
    .selectFrom('agent_version')
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', sql<string>`any(${agentIds})`)
    .orderBy('created_at')
    .orderBy('id');
}

export function readVersion(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<StoredVersion | undefined> {
  return transaction
    .selectFrom('agent_version')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export interface WrittenVersion extends StoredVersion {
  contentHash: string | null;
}

export async function insertVersion(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  version: WrittenVersion,
): Promise<void> {
  await transaction
    .insertInto('agent_version')
    .values({
      workspace_id: workspaceId,
      id: version.id,
      agent_id: version.agentId,
      name: version.name,
      // versions of one transaction keep their order
      created_at: sql<Date>`clock_timestamp()`,
      ...written(version),
    })
    .execute();
}

/** Changes a draft, or makes it active. An active version never changes. */
export async function updateDraft(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  version: WrittenVersion,
): Promise<void> {
  await transaction
    .updateTable('agent_version')
    .set(written(version))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', version.id)
    .where('status', '=', 'draft')
    .execute();
}

function written({ status, definition, frozen, contentHash }: WrittenVersion) {
  return {
    status,
    definition: JSON.stringify(definition),
    frozen: frozen === null ? null : JSON.stringify(frozen),
    content_hash: contentHash,
    activated_at: status === 'active' ? sql<Date>`now()` : null,
  };
}

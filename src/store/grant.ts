import { type Kysely, sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import type { Named } from './named.ts';
import type { Schema } from './schema.ts';

/** An agent of the workspace that is provided to another one. */
export interface StoredGrant {
  id: string;
  agentId: string;
  agent: string;
  consumerId: string;
  consumer: string;
  /** Whether the agent works there with the secrets of this workspace. */
  usesSecrets: boolean;
  createdAt: Date;
}

function standing(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('agent_grant as g')
    .innerJoin('agent as a', (join) =>
      join.onRef('a.workspace_id', '=', 'g.workspace_id').onRef('a.id', '=', 'g.agent_id'),
    )
    .innerJoin('workspace as w', 'w.id', 'g.consumer_id')
    .select([
      'g.id',
      'g.agent_id as agentId',
      'a.name as agent',
      'g.consumer_id as consumerId',
      'w.name as consumer',
      'g.uses_secrets as usesSecrets',
      'g.created_at as createdAt',
    ])
    .where('g.workspace_id', '=', workspaceId)
    .where('g.revoked_at', 'is', null);
}

/** The grants of the workspace that stand, by the names of their agents. */
export function listGrants(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after: { value: string; id: string } | undefined; limit: number },
): Promise<StoredGrant[]> {
  return standing(transaction, workspaceId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(a.name, g.id) > (${after?.value}, ${after?.id}::uuid)`),
    )
    .orderBy('a.name')
    .orderBy('g.id')
    .limit(limit)
    .execute();
}

export function readAgentGrant(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<StoredGrant | undefined> {
  return standing(transaction, workspaceId).where('g.id', '=', id).executeTakeFirst();
}

/** The grants of one agent that stand, by the names of the workspaces that it is provided to. */
export function grantsOfAgent(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentId: string,
): Promise<StoredGrant[]> {
  return standing(transaction, workspaceId).where('g.agent_id', '=', agentId).orderBy('w.name').execute();
}

/** The standing grants from a workspace and to it. `system` sees both sides of each. */
export async function grantsOnEitherSide(
  system: Kysely<Schema>,
  workspaceId: string,
): Promise<(Pick<StoredGrant, 'id' | 'agentId' | 'agent' | 'consumerId'> & { provider: Named })[]> {
  const rows = await system
    .selectFrom('agent_grant as g')
    .innerJoin('agent as a', (join) =>
      join.onRef('a.workspace_id', '=', 'g.workspace_id').onRef('a.id', '=', 'g.agent_id'),
    )
    .innerJoin('workspace as w', 'w.id', 'g.workspace_id')
    .select(['g.id', 'g.agent_id', 'a.name as agent', 'g.consumer_id', 'w.id as providerId', 'w.name'])
    .where('g.revoked_at', 'is', null)
    .where(({ or, eb }) =>
      or([eb('g.workspace_id', '=', workspaceId), eb('g.consumer_id', '=', workspaceId)]),
    )
    .orderBy('g.id')
    .execute();
  return rows.map(({ id, agent_id, agent, consumer_id, providerId, name }) => ({
    id,
    agentId: agent_id,
    agent,
    consumerId: consumer_id,
    provider: { id: providerId, name },
  }));
}

/** Whether the agent is provided to that workspace, and how. `db` sees the workspace that provides. */
export function standingGrant(
  db: Kysely<Schema>,
  provider: { workspaceId: string; agentId: string },
  consumerId: string,
): Promise<{ usesSecrets: boolean } | undefined> {
  return db
    .selectFrom('agent_grant')
    .select('uses_secrets as usesSecrets')
    .where('workspace_id', '=', provider.workspaceId)
    .where('agent_id', '=', provider.agentId)
    .where('consumer_id', '=', consumerId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Provides the agent to that workspace. A grant that was revoked stands again, by the id that it had. */
export async function writeGrant(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  grant: Pick<StoredGrant, 'id' | 'agentId' | 'consumerId' | 'usesSecrets'>,
): Promise<{ id: string }> {
  return transaction
    .insertInto('agent_grant')
    .values({
      workspace_id: workspaceId,
      id: grant.id,
      agent_id: grant.agentId,
      consumer_id: grant.consumerId,
      uses_secrets: grant.usesSecrets,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'agent_id', 'consumer_id'])
        .doUpdateSet({ uses_secrets: grant.usesSecrets, created_at: sql`now()`, revoked_at: null }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
}

/** False where the grant does not stand any more, as when somebody else has just ended it. */
export async function endGrant(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('agent_grant')
    .set({ revoked_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

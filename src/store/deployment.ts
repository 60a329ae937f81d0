import { sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';

export interface Deployment {
  agentId: string;
  environmentId: string;
  versionId: string;
}

export function readDeployments(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<Deployment[]> {
  return transaction
    .selectFrom('deployment')
    .select(['agent_id as agentId', 'environment_id as environmentId', 'version_id as versionId'])
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', sql<string>`any(${agentIds})`)
    .execute();
}

/** Puts a version in the place of the one that is deployed in the environment. */
export async function deploy(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { agentId, environmentId, versionId }: Deployment,
): Promise<void> {
  await transaction
    .insertInto('deployment')
    .values({
      workspace_id: workspaceId,
      agent_id: agentId,
      environment_id: environmentId,
      version_id: versionId,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'agent_id', 'environment_id']).doUpdateSet({ version_id: versionId }),
    )
    .execute();
}

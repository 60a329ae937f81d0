import { readAgents, type StoredAgent } from '../../store/agent.ts';
import { readVersionNames, type VersionName } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { type Deployment, readDeployments } from '../../store/deployment.ts';
import { listEnvironments } from '../../store/environment.ts';
import type { Named } from '../../store/named.ts';

/** An agent with its versions, oldest first, and what is deployed in each environment, by the names of those. */
export interface AgentParts<Version extends VersionName> extends StoredAgent {
  versions: Version[];
  deployments: (Deployment & { environment: string })[];
}

export async function withParts<Version extends VersionName>(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agents: readonly StoredAgent[],
  versions: readonly Version[],
): Promise<AgentParts<Version>[]> {
  const ids = agents.map(({ id }) => id);
  const deployments = await readDeployments(transaction, workspaceId, ids);
  const environments = await listEnvironments(transaction, workspaceId);
  const byAgent = Map.groupBy(versions, ({ agentId }) => agentId);
  return agents.map((agent) => ({
    ...agent,
    versions: byAgent.get(agent.id) ?? [],
    deployments: environments.flatMap(({ id, name }) =>
      deployments
        .filter(({ agentId, environmentId }) => agentId === agent.id && environmentId === id)
        .map((deployment) => ({ ...deployment, environment: name })),
    ),
  }));
}

/** Name of the deployed version by environment. */
export function deployedVersions({
  versions,
  deployments,
}: Pick<AgentParts<VersionName>, 'versions' | 'deployments'>): Record<string, string> {
  const nameOf = new Map(versions.map(({ id, name }) => [id, name]));
  return Object.fromEntries(
    deployments.map(({ environment, versionId }) => [environment, nameOf.get(versionId) ?? versionId]),
  );
}

/** What operations say of an agent beside its document. */
export function shownParts(agent: Omit<AgentParts<VersionName>, keyof Named>) {
  return {
    versions: agent.versions.map(({ id, name, status }) => ({ id, name, status })),
    deployments: deployedVersions(agent),
    providedBy: agent.provider?.workspace ?? null,
  };
}

/** The same of each of these agents, in their order. */
export async function listParts(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  rows: readonly Named[],
): Promise<ReturnType<typeof shownParts>[]> {
  const names = rows.map(({ name }) => name);
  const agents = await readAgents(transaction, workspaceId, names);
  const ids = agents.map(({ id }) => id);
  const versions = await readVersionNames(transaction, workspaceId, ids);
  const full = await withParts(transaction, workspaceId, agents, versions);
  const shown = new Map(full.map((agent) => [agent.id, shownParts(agent)]));
  return rows.map(({ id }) => {
    const parts = shown.get(id);
    if (parts === undefined) throw new Error(`The agent ${id} is missing.`);
    return parts;
  });
}

import { type AgentDocument, agentDocument } from '../../core/documents/agent.ts';
import { insertAgent, readAgents, touchAgent } from '../../store/agent.ts';
import { insertVersion, readVersions, type StoredVersion, updateDraft } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { type Deployment, deploy, readDeployments } from '../../store/deployment.ts';
import { listEnvironments } from '../../store/environment.ts';
import type { Named } from '../../store/named.ts';
import { changedVersions } from './agent-versions.ts';
import { changedDeployments } from './deployments.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { writeObject } from './write-object.ts';

export interface AgentWithVersions extends Named {
  /** Oldest first. */
  versions: StoredVersion[];
  deployments: (Deployment & { environment: string })[];
}

/** Versions and deployments that a document does not name stay as they are. */
export const agentKind: ObjectKindOf<AgentDocument, AgentWithVersions> = {
  kind: 'agent',
  table: 'agent',
  schema: agentDocument,
  secretFields: [],
  read: readWithVersions,

  document({ name, versions, deployments }) {
    const versionName = new Map(versions.map((version) => [version.id, version.name]));
    return {
      name,
      versions: versions.map(({ name, status, definition }) => ({ name, status, ...definition })),
      deployments: Object.fromEntries(
        deployments.map(({ environment, versionId }) => [
          environment,
          versionName.get(versionId) ?? versionId,
        ]),
      ),
    };
  },

  async save(saving, submitted, stored) {
    const { transaction, workspaceId } = saving;
    const agent = { id: stored?.id ?? saving.random.id(), name: submitted.document.name };
    const versions = await changedVersions(saving, submitted, agent, stored?.versions ?? []);
    const deployments = await changedDeployments(
      saving,
      submitted,
      agent,
      versions.all,
      stored?.deployments ?? [],
    );
    if (submitted.refused) return null;

    const writeParts = async () => {
      for (const version of versions.created) await insertVersion(transaction, workspaceId, version);
      for (const version of versions.updated) await updateDraft(transaction, workspaceId, version);
      for (const deployment of deployments) await deploy(transaction, workspaceId, deployment);
    };
    return writeObject(saving, 'agent', agent, {
      isNew: stored === undefined,
      isChanged: () => versions.created.length + versions.updated.length + deployments.length > 0,
      insert: async () => {
        await insertAgent(transaction, workspaceId, agent);
        await writeParts();
      },
      update: async () => {
        await touchAgent(transaction, workspaceId, agent.id);
        await writeParts();
      },
    });
  },
};

async function readWithVersions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<AgentWithVersions[]> {
  const agents = await readAgents(transaction, workspaceId, names);
  const ids = agents.map(({ id }) => id);
  const versions = Map.groupBy(await readVersions(transaction, workspaceId, ids), ({ agentId }) => agentId);
  const deployments = await readDeployments(transaction, workspaceId, ids);
  const environments = await listEnvironments(transaction, workspaceId);
  return agents.map((agent) => ({
    ...agent,
    versions: versions.get(agent.id) ?? [],
    deployments: environments.flatMap(({ id, name }) =>
      deployments
        .filter(({ agentId, environmentId }) => agentId === agent.id && environmentId === id)
        .map((deployment) => ({ ...deployment, environment: name })),
    ),
  }));
}

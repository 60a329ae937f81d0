import { type AgentDocument, agentDocument } from '../../core/documents/agent.ts';
import { insertAgent, readAgents, updateAgent } from '../../store/agent.ts';
import { insertVersion, readVersions, type StoredVersion, updateDraft } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { deploy } from '../../store/deployment.ts';
import { touchNamed } from '../../store/named.ts';
import { type AgentParts, deployedVersions, withParts } from './agent-parts.ts';
import { usesOfAgent } from './agent-uses.ts';
import { changedVersions } from './agent-versions.ts';
import { changedDeployments } from './deployments.ts';
import type { ObjectKindOf } from './object-kind.ts';
import { changedOnlyThere, warningsOfProvided } from './provided-agent.ts';
import { writeObject } from './write-object.ts';

type StoredAgentObject = AgentParts<StoredVersion>;

/** Versions and deployments that a document does not name stay as they are. */
export const agentKind: ObjectKindOf<AgentDocument, StoredAgentObject> = {
  kind: 'agent',
  table: 'agent',
  schema: agentDocument,
  secretFields: [],
  read: readWithVersions,
  // a file cannot provide an agent
  isFiled: ({ provider }) => provider === null,
  uses: usesOfAgent,
  warnings: warningsOfProvided,

  document: (agent) => ({
    name: agent.name,
    versions: agent.versions.map(({ name, status, definition }) => ({ name, status, ...definition })),
    deployments: deployedVersions(agent),
  }),

  async save(saving, submitted, stored) {
    const { transaction, workspaceId } = saving;
    const agent = { id: stored?.id ?? saving.random.id(), name: submitted.document.name };
    if (stored !== undefined && stored.provider !== null) {
      submitted.problem('name', changedOnlyThere(stored, stored.provider), {
        value: agent.name,
        code: 'rule_violated',
      });
      return null;
    }
    const versions = await changedVersions(saving, submitted, agent, stored?.versions ?? []);
    const deployments = await changedDeployments(
      saving,
      submitted,
      agent,
      versions.all,
      stored?.deployments ?? [],
    );
    if (submitted.refused) return null;

    const isRenamed = stored?.name !== agent.name;
    const writeParts = async () => {
      for (const version of versions.created) await insertVersion(transaction, workspaceId, version);
      for (const version of versions.updated) await updateDraft(transaction, workspaceId, version);
      for (const deployment of deployments) await deploy(transaction, workspaceId, deployment);
    };
    return writeObject(saving, 'agent', agent, {
      isNew: stored === undefined,
      isChanged: () =>
        isRenamed || versions.created.length + versions.updated.length + deployments.length > 0,
      insert: async () => {
        await insertAgent(transaction, workspaceId, agent);
        await writeParts();
      },
      update: async () => {
        if (isRenamed) await updateAgent(transaction, workspaceId, agent);
        else await touchNamed(transaction, workspaceId, 'agent', agent.id);
        await writeParts();
      },
    });
  },
};

async function readWithVersions(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  names?: readonly string[],
): Promise<StoredAgentObject[]> {
  const agents = await readAgents(transaction, workspaceId, names);
  const ids = agents.map(({ id }) => id);
  return withParts(transaction, workspaceId, agents, await readVersions(transaction, workspaceId, ids));
}

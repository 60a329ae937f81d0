import type { FrozenServer } from '../../core/frozen.ts';
import { offeredTools } from '../../core/offered-tools.ts';
import type { DiscoveredTool } from '../../core/ports.ts';
import type { OfferedTool } from '../../core/trace.ts';
import { freezeProvided } from '../../engine/freezing/freeze-provided.ts';
import { type ProvidedAgent, readProvidedAgents } from '../../store/agent.ts';
import { readVersions, type StoredVersion } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { type Deployment, readDeployments } from '../../store/deployment.ts';
import { listEnvironments } from '../../store/environment.ts';
import { readServers, readServersById } from '../../store/mcp-server.ts';
import { inOtherWorkspace } from '../../store/other-workspace.ts';
import type { WrittenCase } from '../../store/test-case.ts';

interface AgentState {
  /** null: it is of this workspace, and these are its versions, oldest first. */
  provided: ProvidedAgent | null;
  versions: StoredVersion[];
  deployments: Deployment[];
}

/** The version that would answer a case now, and what it lets its agent do. */
interface Offer {
  version: string;
  skills: string[];
  /** null: a server of it was never reached. */
  tools: OfferedTool[] | null;
}

type AnsweredCase = Pick<WrittenCase, 'agentId' | 'environmentId' | 'pinnedVersionId'>;

/** What agents are made of and what their versions offer; each is read once in a transaction. */
export interface Offers {
  agent(id: string): Promise<AgentState>;
  /** A sentence where another workspace provides the agent, and nothing of it can answer; null: no version may answer. */
  answering(testCase: AnsweredCase): Promise<Offer | string | null>;
}

export function createOffers(transaction: WorkspaceTransaction, workspaceId: string): Offers {
  const agents = new Map<string, Promise<AgentState>>();
  const offers = new Map<string, Promise<Offer | string>>();

  async function readAgent(id: string): Promise<AgentState> {
    const [provided = null] = await readProvidedAgents(transaction, workspaceId, [id]);
    const versions = await readVersions(transaction, workspaceId, [id]);
    return { provided, versions, deployments: await readDeployments(transaction, workspaceId, [id]) };
  }

  async function ownOffer({ name, definition, frozen }: StoredVersion): Promise<Offer> {
    const servers =
      frozen === null
        ? await readServers(transaction, workspaceId, definition.mcpServers)
        : await frozenTools(frozen.mcpServers);
    // what it was frozen with keeps its names, too
    const skills = frozen?.skills.map((skill) => skill.name) ?? definition.skills;
    return { version: name, skills, tools: offered(servers, definition.mcpServers.length) };
  }

  async function providedOffer(agent: ProvidedAgent, environmentId: string): Promise<Offer | string> {
    const environments = await listEnvironments(transaction, workspaceId);
    const environment = environments.find(({ id }) => id === environmentId);
    if (environment === undefined) throw new Error(`The environment ${environmentId} is missing.`);
    const subject = await freezeProvided(transaction, workspaceId, agent, environment);
    if ('unresolved' in subject) return subject.unresolved.message;
    const { version, skills, mcpServers } = subject.frozen;
    const servers = await frozenTools(mcpServers);
    return {
      version: version.name,
      skills: skills.map(({ name }) => name),
      tools: offered(servers, mcpServers.length),
    };
  }

  /** The servers that a version was frozen with, whatever their names are now, with the tools that they offer now. */
  async function frozenTools(servers: readonly FrozenServer[]): Promise<ListedServer[]> {
    const homes = Map.groupBy(servers, ({ lender }) => lender?.workspaceId ?? workspaceId);
    const tools = new Map<string, DiscoveredTool[] | null>();
    for (const [home, each] of homes) {
      const ids = each.map(({ id, lender }) => lender?.serverId ?? id);
      const read = () => readServersById(transaction, home, ids);
      const now =
        home === workspaceId
          ? await read()
          : await inOtherWorkspace(transaction, { own: workspaceId, other: home }, read);
      for (const server of now) tools.set(server.id, server.tools);
    }
    return servers.map(({ id, name, lender }) => ({
      name,
      tools: tools.get(lender?.serverId ?? id) ?? null,
    }));
  }

  const agent: Offers['agent'] = (id) => remembered(agents, id, () => readAgent(id));
  return {
    agent,
    async answering(testCase) {
      const { agentId, environmentId, pinnedVersionId } = testCase;
      const state = await agent(agentId);
      const { provided } = state;
      if (provided !== null) {
        const key = `${agentId} ${environmentId}`;
        return remembered(offers, key, () => providedOffer(provided, environmentId));
      }
      const version = answeringVersion(state, environmentId, pinnedVersionId);
      return version === undefined ? null : remembered(offers, version.id, () => ownOffer(version));
    },
  };
}

interface ListedServer {
  name: string;
  tools: DiscoveredTool[] | null;
}

/** null where the tools of a server are not known. */
function offered(servers: readonly ListedServer[], expected: number): OfferedTool[] | null {
  const listed = servers.flatMap(({ name, tools }) => (tools === null ? [] : [{ server: name, tools }]));
  return listed.length === expected ? offeredTools(listed) : null;
}

/** The version that would answer: the pinned one, else the deployed one, else the newest active one. */
function answeringVersion(
  { versions, deployments }: AgentState,
  environmentId: string,
  pinnedId: string | null,
): StoredVersion | undefined {
  const deployed = deployments.find((each) => each.environmentId === environmentId)?.versionId;
  return (
    versions.find(({ id }) => id === (pinnedId ?? deployed)) ??
    versions.findLast(({ status }) => status === 'active')
  );
}

function remembered<Value>(
  memory: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const value = memory.get(key) ?? read();
  memory.set(key, value);
  return value;
}

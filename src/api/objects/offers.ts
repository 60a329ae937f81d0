import { offeredTools } from '../../core/offered-tools.ts';
import type { OfferedTool } from '../../core/trace.ts';
import { readVersions, type StoredVersion } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { type Deployment, readDeployments } from '../../store/deployment.ts';
import { readServers, readServersById, type StoredServer } from '../../store/mcp-server.ts';

export interface AgentState {
  /** Oldest first. */
  versions: StoredVersion[];
  deployments: Deployment[];
}

/** What a version lets an agent do. */
interface Offer {
  skills: string[];
  /** null: a server of it was never reached. */
  tools: OfferedTool[] | null;
}

/** What agents are made of and what their versions offer; each is read once in a transaction. */
export interface Offers {
  agent(id: string): Promise<AgentState>;
  of(version: StoredVersion): Promise<Offer>;
}

export function createOffers(transaction: WorkspaceTransaction, workspaceId: string): Offers {
  const agents = new Map<string, Promise<AgentState>>();
  const offers = new Map<string, Promise<Offer>>();

  async function readAgent(id: string): Promise<AgentState> {
    const versions = await readVersions(transaction, workspaceId, [id]);
    return { versions, deployments: await readDeployments(transaction, workspaceId, [id]) };
  }

  async function readOffer(version: StoredVersion): Promise<Offer> {
    const servers = await serversOf(version);
    const listed = servers.flatMap(({ name, tools }) => (tools === null ? [] : [{ server: name, tools }]));
    const areKnown = listed.length === version.definition.mcpServers.length;
    return { skills: version.definition.skills, tools: areKnown ? offeredTools(listed) : null };
  }

  /** The servers of an active version are those it was frozen with, whatever their names are now. */
  async function serversOf({
    frozen,
    definition,
  }: StoredVersion): Promise<Pick<StoredServer, 'name' | 'tools'>[]> {
    if (frozen === null) return readServers(transaction, workspaceId, definition.mcpServers);
    const ids = frozen.mcpServers.map(({ id }) => id);
    const now = await readServersById(transaction, workspaceId, ids);
    const tools = new Map(now.map((server) => [server.id, server.tools]));
    return frozen.mcpServers.map(({ id, name }) => ({ name, tools: tools.get(id) ?? null }));
  }

  return {
    agent: (id) => remembered(agents, id, () => readAgent(id)),
    of: (version) => remembered(offers, version.id, () => readOffer(version)),
  };
}

/** The version that would answer: the pinned one, else the deployed one, else the newest active one. */
export function answeringVersion(
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

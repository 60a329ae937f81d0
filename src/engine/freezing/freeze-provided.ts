import { v5 as uuidv5 } from 'uuid';
import type { FrozenAgent, FrozenServer, Unresolved } from '../../core/frozen.ts';
import { hasSecrets } from '../../core/secret-scope.ts';
import type { ProvidedAgent, Provider } from '../../store/agent.ts';
import { readVersion } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { readDeployments } from '../../store/deployment.ts';
import { listEnvironments } from '../../store/environment.ts';
import type { FrozenSubject } from '../../store/frozen-subject.ts';
import { standingGrant } from '../../store/grant.ts';
import { readServers } from '../../store/mcp-server.ts';
import type { Named } from '../../store/named.ts';
import { inOtherWorkspace } from '../../store/other-workspace.ts';
import { contentHash } from './content-hash.ts';
import { withCurrentSecrets } from './current-secrets.ts';
import { withTargets } from './freeze-version.ts';
import { noLongerProvided } from './grant-stands.ts';
import { frozenServer } from './resolve-definition.ts';

/** What answers for an agent that another workspace provides: the version deployed there in the environment of the same
 *  name, with the targets of this workspace. Nothing of the other workspace is read unless its grant stands. */
export async function freezeProvided(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agent: ProvidedAgent,
  environment: Named,
): Promise<FrozenSubject | Unresolved> {
  const { provider } = agent;
  const unresolved = (code: string, message: string): Unresolved => ({
    unresolved: { code, message, params: { agent: agent.name, environment: environment.name } },
  });
  const sides = { own: workspaceId, other: provider.workspaceId };
  const lent = await inOtherWorkspace(transaction, sides, () =>
    readLent(transaction, workspaceId, provider, environment.name),
  );
  if (lent === 'no grant') {
    return unresolved('no_longer_provided', noLongerProvided(agent.name, provider.workspace));
  }
  if (lent === 'no environment' || lent === 'no deployment') {
    const where =
      lent === 'no environment'
        ? `which has no environment "${environment.name}"`
        : `where no version of it is deployed in the environment "${environment.name}"`;
    return unresolved(
      'no_version',
      `The agent "${agent.name}" is provided by the workspace "${provider.workspace}", ${where}. Ask there to deploy one.`,
    );
  }

  const { frozen, usesSecrets } = lent;
  const names = frozen.mcpServers.map(({ name }) => name);
  const own = new Map((await readServers(transaction, workspaceId, names)).map((each) => [each.name, each]));
  const mcpServers: FrozenServer[] = [];
  for (const server of frozen.mcpServers) {
    const here = own.get(server.name);
    if (usesSecrets || !hasSecrets(server)) {
      const lender = { workspaceId: provider.workspaceId, serverId: server.id };
      mcpServers.push({ ...server, id: here?.id ?? server.id, lender });
    } else if (here !== undefined) mcpServers.push(frozenServer(here));
    else {
      return unresolved(
        'secrets_not_provided',
        `The agent "${agent.name}" needs the secrets of its MCP server "${server.name}", and the grant of the workspace "${provider.workspace}" leaves them out. Make an MCP server of that name here, or ask there for a grant that uses the secrets.`,
      );
    }
  }
  const answering: FrozenAgent = {
    ...frozen,
    agent: { id: agent.id, name: agent.name },
    // the same for the same version, and none that means anything in the other workspace
    version: { id: uuidv5(frozen.version.id, agent.id), name: frozen.version.name },
    provider: { ...provider, usesSecrets },
    mcpServers,
  };
  const targeted = await withTargets(transaction, workspaceId, answering, environment.id);
  return { frozen: targeted, contentHash: contentHash(targeted) };
}

/** In the workspace that provides the agent. */
async function readLent(
  transaction: WorkspaceTransaction,
  consumerId: string,
  provider: Provider,
  environmentName: string,
): Promise<{ frozen: FrozenAgent; usesSecrets: boolean } | 'no grant' | 'no environment' | 'no deployment'> {
  const { workspaceId, agentId } = provider;
  const grant = await standingGrant(transaction, provider, consumerId);
  if (grant === undefined) return 'no grant';
  const environments = await listEnvironments(transaction, workspaceId);
  const environment = environments.find(({ name }) => name === environmentName);
  if (environment === undefined) return 'no environment';
  const deployments = await readDeployments(transaction, workspaceId, [agentId]);
  const deployed = deployments.find(({ environmentId }) => environmentId === environment.id);
  const version = deployed && (await readVersion(transaction, workspaceId, deployed.versionId));
  if (!version?.frozen) return 'no deployment';
  const { usesSecrets } = grant;
  const { frozen } = version;
  return {
    frozen: usesSecrets ? await withCurrentSecrets(transaction, workspaceId, frozen) : frozen,
    usesSecrets,
  };
}

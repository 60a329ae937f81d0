import { AssayError } from '../../core/errors.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import { readVersion } from '../../store/agent-version.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import type { FrozenSubject } from '../../store/frozen-subject.ts';
import { readTargets } from '../../store/mcp-server.ts';
import { contentHash } from './content-hash.ts';
import { withCurrentSecrets } from './current-secrets.ts';
import { resolveDefinition } from './resolve-definition.ts';

/** Everything that answers when this version is tested in this environment. A draft is taken as it is now, an active
 *  version as it was when it became active, each with the environment's targets and the servers' present secrets.
 *  Throws `rule_violated` where a draft names what does not exist any more. */
export async function freezeVersion(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  agent: FrozenAgent['agent'],
  versionId: string,
  environmentId: string,
): Promise<FrozenSubject> {
  const version = await readVersion(transaction, workspaceId, versionId);
  if (version === undefined || version.agentId !== agent.id) {
    throw new AssayError('not_found', `The agent "${agent.name}" has no version ${versionId}.`);
  }
  const { id, name, definition } = version;
  const resolved =
    version.frozen === null
      ? await resolveDefinition(transaction, workspaceId, agent, { id, name }, definition)
      : await withCurrentSecrets(transaction, workspaceId, { ...version.frozen, agent });
  const frozen = await withTargets(transaction, workspaceId, resolved, environmentId);
  return { frozen, contentHash: contentHash(frozen) };
}

/** The servers with what the environment says of where their calls go. */
export async function withTargets(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  frozen: FrozenAgent,
  environmentId: string,
): Promise<FrozenAgent> {
  const ids = frozen.mcpServers.map(({ id }) => id);
  const targets = new Map(
    (ids.length === 0 ? [] : await readTargets(transaction, workspaceId, ids))
      .filter((target) => target.environmentId === environmentId)
      .map(({ serverId, mode, endpoint }) => [serverId, { mode, endpoint }]),
  );
  return {
    ...frozen,
    mcpServers: frozen.mcpServers.map((server) => ({
      ...server,
      target: targets.get(server.id) ?? server.target,
    })),
  };
}

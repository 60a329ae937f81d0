import type { Kysely } from 'kysely';
import { secretDestination } from '../../core/documents/secret-destination.ts';
import type { FrozenAgent, FrozenServer, SealedTransport } from '../../core/frozen.ts';
import type { SealedSecret } from '../../core/sealed-secret.ts';
import { hasSecrets } from '../../core/secret-scope.ts';
import { readServersById } from '../../store/mcp-server.ts';
import type { Schema } from '../../store/schema.ts';

/** The frozen agent with the secrets that its servers have now, so that a rotated one is used at once. A server that has
 *  moved since keeps the secrets it was frozen with: new ones are not sent to the old place. `db` sees every workspace
 *  that the servers are from. */
export async function withCurrentSecrets(
  db: Kysely<Schema>,
  workspaceId: string,
  frozen: FrozenAgent,
): Promise<FrozenAgent> {
  const holders = frozen.mcpServers.filter(hasSecrets);
  if (holders.length === 0) return frozen;
  const homeOf = ({ id, lender }: FrozenServer) => lender ?? { workspaceId, serverId: id };
  const transports = new Map<string, SealedTransport>();
  for (const [home, lent] of Map.groupBy(holders.map(homeOf), (each) => each.workspaceId)) {
    const ids = lent.map(({ serverId }) => serverId);
    for (const { id, transport } of await readServersById(db, home, ids)) transports.set(id, transport);
  }
  return {
    ...frozen,
    mcpServers: frozen.mcpServers.map((server) => {
      const now = transports.get(homeOf(server).serverId);
      return now === undefined ? server : { ...server, transport: rotated(server.transport, now) };
    }),
  };
}

function rotated(frozen: SealedTransport, now: SealedTransport): SealedTransport {
  if (secretDestination(frozen) !== secretDestination(now)) return frozen;
  if (frozen.type === 'stdio' && now.type === 'stdio')
    return { ...frozen, env: laidOver(frozen.env, now.env) };
  if (frozen.type === 'http' && now.type === 'http') {
    return { ...frozen, headers: laidOver(frozen.headers, now.headers) };
  }
  return frozen;
}

function laidOver(
  frozen: Record<string, SealedSecret>,
  now: Record<string, SealedSecret>,
): Record<string, SealedSecret> {
  const current = new Map(Object.entries(now));
  return Object.fromEntries(Object.entries(frozen).map(([name, old]) => [name, current.get(name) ?? old]));
}

import { createHash } from 'node:crypto';
import type { FrozenAgent, SealedTransport } from '../../core/frozen.ts';
import { canonicalJson } from '../../core/json.ts';

/** Equal for equal definitions. Secrets count by name only: sealed twice, one value gives different texts, and a rotated
 *  secret leaves the agent what it was. */
export function contentHash(frozen: FrozenAgent): string {
  const hashed = {
    ...frozen,
    mcpServers: frozen.mcpServers.map((server) => ({ ...server, transport: unsealed(server.transport) })),
  };
  return createHash('sha256').update(canonicalJson(hashed)).digest('hex');
}

function unsealed(transport: SealedTransport) {
  if (transport.type === 'stdio') return { ...transport, env: Object.keys(transport.env).sort() };
  if (transport.type === 'http') return { ...transport, headers: Object.keys(transport.headers).sort() };
  return transport;
}

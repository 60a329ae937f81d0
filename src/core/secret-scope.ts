import type { FrozenAgent, FrozenServer, SealedTransport } from './frozen.ts';
import type { SealedSecret } from './sealed-secret.ts';

/** The secrets that a server is given, by name. */
function secretsOf(transport: SealedTransport): Record<string, SealedSecret> {
  if (transport.type === 'stdio') return transport.env;
  return transport.type === 'http' ? transport.headers : {};
}

export function hasSecrets({ transport }: Pick<FrozenServer, 'transport'>): boolean {
  return Object.keys(secretsOf(transport)).length > 0;
}

/** The workspace whose secrets a server gets when it is used in `workspaceId`. */
export function secretsHome(server: FrozenServer, workspaceId: string): string {
  return server.lender !== undefined && hasSecrets(server) ? server.lender.workspaceId : workspaceId;
}

/** The workspaces whose secrets can show when the agent answers in `workspaceId`. */
export function secretScope(workspaceId: string, { provider }: FrozenAgent): string[] {
  return provider?.usesSecrets === true ? [workspaceId, provider.workspaceId] : [workspaceId];
}

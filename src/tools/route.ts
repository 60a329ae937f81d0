import { secretDestination } from '../core/documents/secret-destination.ts';
import { ExecutionFailure } from '../core/errors.ts';
import type { FrozenServer, SealedTransport } from '../core/frozen.ts';
import type { Secrets } from '../core/ports.ts';
import type { SealedSecret } from '../core/sealed-secret.ts';
import { hasSecrets } from '../core/secret-scope.ts';

/** How a server is reached, with its secrets opened. */
export type Route =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }
  | { type: 'http'; url: string; headers: Record<string, string> }
  | { type: 'builtin' };

/**
 * Where a server's calls go in an environment. The endpoint of its target takes the place of its transport; the
 * headers, which are secrets for the origin they were entered for, follow only to that same origin. Secrets that another
 * workspace lent go to the very address it gave them for: on one origin, each path may belong to somebody else. Throws
 * ExecutionFailure('tool', 'secrets_lent_elsewhere') where the target names another one.
 */
export function routeOf(
  server: FrozenServer,
  secrets: Secrets,
  rememberSecret: (secret: string) => void,
): Route {
  const { transport, target } = server;
  const opened = (sealed: Record<string, SealedSecret>) =>
    Object.fromEntries(
      Object.entries(sealed).map(([name, value]) => {
        const text = secrets.open(value);
        rememberSecret(text);
        return [name, text];
      }),
    );
  if (target.endpoint !== null) {
    const endpoint = { type: 'http' as const, url: target.endpoint };
    if (server.lender !== undefined && hasSecrets(server) && !isAddressOf(transport, endpoint.url)) {
      throw lentElsewhere(server.name);
    }
    const gets = transport.type === 'http' && secretDestination(transport) === secretDestination(endpoint);
    return { ...endpoint, headers: gets ? opened(transport.headers) : {} };
  }
  if (transport.type === 'stdio') {
    return { type: 'stdio', command: transport.command, args: transport.args, env: opened(transport.env) };
  }
  if (transport.type === 'http')
    return { type: 'http', url: transport.url, headers: opened(transport.headers) };
  return { type: 'builtin' };
}

function isAddressOf(transport: SealedTransport, url: string): boolean {
  return transport.type === 'http' && new URL(transport.url).href === new URL(url).href;
}

function lentElsewhere(name: string): ExecutionFailure {
  return new ExecutionFailure(
    'tool',
    'secrets_lent_elsewhere',
    `The agent is provided with the secrets of its MCP server "${name}", which go nowhere but where the workspace that provides it says. The target of "${name}" in this environment names another endpoint: take it out, or ask there for a grant without the secrets.`,
  );
}

/** How a route is named to people: no arguments, no query, since either may hold a key. */
export function routeName(route: Route): string {
  if (route.type === 'stdio') return `the command "${route.command}"`;
  if (route.type === 'builtin') return "this product's own tools";
  const { origin, pathname } = new URL(route.url);
  return origin + pathname;
}

import { type McpProfile, profileLimitMs } from '../core/documents/mcp-server.ts';
import { AssayError, ExecutionFailure } from '../core/errors.ts';
import type { FrozenServer } from '../core/frozen.ts';
import { redactedTool } from '../core/offered-tools.ts';
import type { Clock, Random, RedactFor, Secrets, ToolScope, Tools } from '../core/ports.ts';
import { secretsHome } from '../core/secret-scope.ts';
import type { Fetch } from '../net/guarded-fetch.ts';
import { createClientPool } from './client-pool.ts';
import type { OwnTools } from './dial.ts';
import { type Route, routeOf } from './route.ts';
import { withSentAlong } from './sent-along.ts';
import { createToolSession, type SessionServer } from './tool-session.ts';

export interface ToolsOptions {
  secrets: Secrets;
  /** Hears of every secret that is about to be given to a server, before anything can come back from there. */
  rememberSecret(workspaceId: string, secret: string): void;
  redactFor: RedactFor;
  fetch: Fetch;
  clock: Clock;
  random: Random;
  /** Of this process. */
  environment: Record<string, string | undefined>;
  /** Reaches this product's own tools, as the principal of the run; `scope` is null where they are only listed. */
  connectBuiltin?(server: FrozenServer, scope: ToolScope | null): Promise<OwnTools>;
  /** Headers that the calls of a conversation carry over HTTP, for whoever they reach; no secrets. */
  sentAlong?(scope: ToolScope): Record<string, string>;
  /** Limits of one call by profile, and of connecting, in milliseconds; the product's own unless a test shortens them. */
  limits?: Record<McpProfile | 'connect', number>;
}

/** A launcher such as npx may first have to download a server. */
const productLimits = { ...profileLimitMs, connect: 60_000 };

/**
 * The tools of MCP servers, and the only place where tool events come from. `open` and `discover` throw
 * ExecutionFailure('tool', 'server_unreachable' | 'secret_unreadable' | 'builtin_unavailable').
 */
export function createTools(options: ToolsOptions): Tools {
  const { secrets, rememberSecret, redactFor, environment, connectBuiltin, limits = productLimits } = options;
  const fetch = withSentAlong(options.fetch);
  const limitOf = (server: FrozenServer) => limits[server.profile];

  const pool = createClientPool(async (server, workspaceId, scope, signal) => {
    const builtin = async () => {
      if (connectBuiltin !== undefined) return connectBuiltin(server, scope);
      const text = `MCP server "${server.name}" is this product's own, which is not served here.`;
      throw new ExecutionFailure('tool', 'builtin_unavailable', text);
    };
    const home = secretsHome(server, workspaceId);
    const remember = (secret: string) => rememberSecret(home, secret);
    const route = readableRoute(server, () => routeOf(server, secrets, remember));
    const redact = redactFor(scopeOf([server], workspaceId));
    // the MCP client takes time to load, and an agent without servers needs none
    const { connect } = await import('./connection.ts');
    return connect(
      { serverName: server.name, route, redact, fetch, environment, builtin, timeoutMs: limits.connect },
      signal,
    );
  });

  return {
    async open(servers, scope, signal) {
      const failed = new AbortController();
      const either = AbortSignal.any([signal, failed.signal]);
      const leased = await Promise.allSettled(
        servers.map(async (server): Promise<SessionServer> => {
          try {
            return { server, lease: await pool.lease(server, scope.workspaceId, scope, either) };
          } catch (error) {
            failed.abort(error);
            throw error;
          }
        }),
      );
      const ready = leased.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      if (ready.length === servers.length) {
        const redact = redactFor(scopeOf(servers, scope.workspaceId));
        return createToolSession(ready, { ...options, redact, scope, limitOf });
      }
      await Promise.all(ready.map(({ lease }) => lease.release()));
      signal.throwIfAborted();
      // Of several, the one that failed first: the others were only told to stop.
      throw failed.signal.reason;
    },

    async discover(server, workspaceId, signal) {
      const { connection, release } = await pool.lease(server, workspaceId, null, signal);
      await release();
      // a server may repeat the secrets that it was given
      const redact = redactFor(scopeOf([server], workspaceId));
      return connection.tools.map((tool) => redactedTool(tool, redact));
    },

    closeRun: pool.closeRun,
    close: pool.close,
  };
}

/** The workspaces whose secrets these servers may repeat. */
function scopeOf(servers: readonly FrozenServer[], workspaceId: string): string[] {
  return [...new Set([workspaceId, ...servers.map((server) => secretsHome(server, workspaceId))])];
}

function readableRoute(server: FrozenServer, open: () => Route): Route {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    const text = `A secret of MCP server "${server.name}" cannot be used. ${error.message}`;
    throw new ExecutionFailure('tool', 'secret_unreadable', text, { cause: error });
  }
}

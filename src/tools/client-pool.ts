import type { FrozenServer } from '../core/frozen.ts';
import type { ToolScope } from '../core/ports.ts';
import type { Connection } from './connection.ts';

/** Opens one connection for a workspace; `scope` is null where tools are only listed. */
export type Connect = (
  server: FrozenServer,
  workspaceId: string,
  scope: ToolScope | null,
  signal: AbortSignal,
) => Promise<Connection>;

export interface Lease {
  connection: Connection;
  /** Ends a connection that belongs to this conversation alone. */
  release(): Promise<void>;
}

export interface ClientPool {
  /** A connection of this conversation's own, or the one that the run shares, by the server's isolation; this product's
   *  own tools act in the name of one conversation each. Conversations
   *  that begin together wait for one start; a shared server that was lost is started again for the next conversation.
   *  Throws as `Connect` does. */
  lease(
    server: FrozenServer,
    workspaceId: string,
    scope: ToolScope | null,
    signal: AbortSignal,
  ): Promise<Lease>;
  closeRun(runId: string): Promise<void>;
  close(): Promise<void>;
}

interface Run {
  ending: AbortController;
  connections: Map<string, Promise<Connection>>;
}

export function createClientPool(connect: Connect): ClientPool {
  const closing = new AbortController();
  const open = new Set<Connection>();
  const runs = new Map<string, Run>();

  const start = async (
    server: FrozenServer,
    workspaceId: string,
    scope: ToolScope | null,
    ...signals: AbortSignal[]
  ) => {
    const signal = AbortSignal.any([...signals, closing.signal]);
    signal.throwIfAborted();
    const connection = await connect(server, workspaceId, scope, signal);
    open.add(connection);
    if (!signal.aborted) return connection;
    await end(connection);
    throw signal.reason;
  };

  const end = async (connection: Connection) => {
    await connection.close();
    open.delete(connection);
  };

  const shared = async (server: FrozenServer, scope: ToolScope): Promise<Connection> => {
    const run = runs.get(scope.runId) ?? { ending: new AbortController(), connections: new Map() };
    runs.set(scope.runId, run);
    const key = JSON.stringify([server.id, scope.environment, server.target, server.transport]);
    for (;;) {
      const known = run.connections.get(key);
      if (known === undefined) {
        const starting = start(server, scope.workspaceId, scope, run.ending.signal);
        run.connections.set(key, starting);
        // Whoever waits hears of the failure; the next conversation tries again.
        starting.catch(() => run.connections.delete(key));
        return starting;
      }
      const connection = await known;
      if (connection.isOpen()) return connection;
      if (run.connections.get(key) !== known) continue;
      run.connections.delete(key);
      await end(connection);
    }
  };

  return {
    async lease(server, workspaceId, scope, signal) {
      if (server.isolation === 'run' && server.transport.type !== 'builtin' && scope !== null) {
        return { connection: await unlessAborted(shared(server, scope), signal), release: async () => {} };
      }
      const connection = await start(server, workspaceId, scope, signal);
      return { connection, release: () => end(connection) };
    },

    async closeRun(runId) {
      const run = runs.get(runId);
      if (run === undefined) return;
      runs.delete(runId);
      run.ending.abort(new Error('The run has ended.'));
      const started = await Promise.allSettled(run.connections.values());
      await Promise.all(started.map((each) => (each.status === 'fulfilled' ? end(each.value) : undefined)));
    },

    async close() {
      closing.abort(new Error('The tools were closed.'));
      await Promise.allSettled([...runs.values()].flatMap((run) => [...run.connections.values()]));
      runs.clear();
      await Promise.all([...open].map(end));
    },
  };
}

/** A shared start goes on for the others when one conversation is cancelled. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

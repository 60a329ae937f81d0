import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { DatabaseAccess } from './connection.ts';
import { type ChannelListener, createListener } from './listener.ts';
import type { Schema } from './schema.ts';

const int8 = 20;
pg.types.setTypeParser(int8, Number);

/** What workers ask for are single rows and the next few of an index. A plan that was made while a table was empty, or
 *  big and full of finished runs, reads all of it instead for as long as the session lives: measured, a claim of 20 cases
 *  took 19 ms instead of 1. */
const indexesOnly = '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off';

/** A session of its own is there to notice that the database is gone, so nothing on it may take long. */
const sessionTimeoutMs = 5_000;

/** A transaction that sees one workspace. */
export type WorkspaceTransaction = Transaction<Schema>;

export interface Database {
  /** Every workspace: for workers, for finding out which workspace a caller means, and for what is about accounts, which
   *  belong to none. Never for any other work of an operation. */
  system: Kysely<Schema>;
  /** The pool behind `system`, for the few statements where every millisecond counts. */
  systemPool: pg.Pool;
  /** Runs `work` in one transaction that sees and writes only this workspace. */
  inWorkspace<Result>(
    workspaceId: string,
    work: (transaction: WorkspaceTransaction) => Promise<Result>,
  ): Promise<Result>;
  /** The same for reading alone: all that `work` reads is as it was at one moment. */
  inSnapshot<Result>(
    workspaceId: string,
    work: (transaction: WorkspaceTransaction) => Promise<Result>,
  ): Promise<Result>;
  /** A connection of its own for session locks, as `system`, not connected yet. Whoever asks for it ends it. */
  systemClient(): pg.Client;
  /** Hears the notices of a channel until the returned function is called; all listeners share one connection. */
  listen(channel: string, listener: ChannelListener): Promise<() => void>;
  /** Rejects where the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connections for operations, and for workers. */
  connections?: { app: number; system: number };
  /** Hears of connections that broke while idle. */
  onIdleError(error: Error): void;
}

export function openDatabase(access: DatabaseAccess, options: DatabaseOptions): Database {
  const pool = (role: 'app' | 'system', max: number, more: string) => {
    const config = access.config(role);
    const opened = new pg.Pool({
      ...config,
      options: `${config.options ?? ''} ${more}`,
      max,
      application_name: 'assay',
    });
    // without listeners a server that goes away would end the process; a connection in use that breaks is told to
    // whoever waits for its answer
    opened.on('error', options.onIdleError);
    opened.on('connect', (client) => client.on('error', () => {}));
    return opened;
  };
  const appPool = pool('app', options.connections?.app ?? 8, '');
  const systemPool = pool('system', options.connections?.system ?? 6, indexesOnly);
  const app = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: appPool }) });
  const system = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: systemPool }) });
  const systemClient = () =>
    new pg.Client({
      ...access.config('system'),
      application_name: 'assay',
      keepAlive: true,
      connectionTimeoutMillis: sessionTimeoutMs,
      query_timeout: sessionTimeoutMs,
    });
  const listener = createListener(systemClient, options.onIdleError);
  return {
    system,
    systemPool,
    systemClient,
    listen: listener.listen,
    inWorkspace: (workspaceId, work) => app.transaction().execute(within(workspaceId, work)),
    inSnapshot: (workspaceId, work) =>
      app
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(within(workspaceId, work)),
    ready: async () => {
      await sql`select 1`.execute(system);
    },
    close: async () => {
      await Promise.all([listener.close(), app.destroy(), system.destroy()]);
    },
  };
}

function within<Result>(
  workspaceId: string,
  work: (transaction: WorkspaceTransaction) => Promise<Result>,
): (transaction: WorkspaceTransaction) => Promise<Result> {
  return async (transaction) => {
    await enterWorkspace(transaction, workspaceId);
    return work(transaction);
  };
}

/** From now on the transaction sees and writes this workspace and no other. */
export async function enterWorkspace(transaction: WorkspaceTransaction, workspaceId: string): Promise<void> {
  await sql`select set_config('assay.workspace_id', ${workspaceId}, true)`.execute(transaction);
}

import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from './errors.ts';

/** Everybody who uses the server holds this advisory lock shared; whoever stops it takes it alone. */
const usersLock = 0x6173736179;

/** How a server refuses or drops a connection while it starts, ends or is gone. */
const passing = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03']);
const passingMessage = /^Connection terminated|is not queryable$/;

/** A connection that tells other processes that this one uses the server, for as long as it is open. It keeps nobody
 *  running: a process may end without closing it. */
export interface Presence {
  /** Settles when the connection ends, whoever ended it. */
  ended: Promise<void>;
  /** Gives up this use. Returns true when there is no other, neither of a process with a presence nor of any other
   *  client, and keeps others from beginning one until the connection is closed. */
  isLast(): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects and announces this process. Waits while somebody is about to stop the server. Returns undefined when the
 *  server went away meanwhile: look again. */
export async function announce(config: pg.ClientConfig): Promise<Presence | undefined> {
  const socket = new Socket();
  const client = new pg.Client({
    ...config,
    stream: () => socket,
    application_name: 'assay presence',
    connectionTimeoutMillis: 10_000,
  });
  // how it ended is of no interest, that it ended is
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
  } catch (error) {
    await client.end();
    if (isPassing(error)) return undefined;
    throw error;
  }
  socket.unref();
  return {
    ended,
    isLast: async () => {
      socket.ref();
      return isLast(client);
    },
    close: () => {
      socket.ref();
      return client.end();
    },
  };
}

/** Whether `error` only says that the server went away. */
export function isPassing(error: unknown): boolean {
  if (passing.has(codeOf(error) ?? '')) return true;
  return error instanceof Error && passingMessage.test(error.message);
}

async function isLast(client: pg.Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_shared($1)', [usersLock]);
  const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
    usersLock,
  ]);
  if (!rows[0]?.alone) return false;
  // a connection that this process just closed is listed for a moment longer
  for (let look = 0; look < 10; look += 1) {
    if (!(await hasOtherClients(client))) return true;
    await sleep(10);
  }
  return false;
}

/** Sessions without a user are the server's own. */
async function hasOtherClients(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ others: boolean }>(
    'select exists (select from pg_stat_activity where usesysid is not null and pid <> pg_backend_pid()) as others',
  );
  return rows[0]?.others ?? true;
}

import type pg from 'pg';
import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { registerWorker, renewLease, retakeWorkerLock } from '../../../store/worker.ts';
import { LeaseLost } from './stops.ts';

const renewMs = 5_000;
const reconnectMs = 200;
/** Others take a worker for dead 30 s after they last heard of it; it gives up itself before that. */
const silenceLimitMs = 25_000;

export interface LeaseOptions {
  database: Database;
  clock: Clock;
  workerId: string;
  lanes: number;
  report(message: string, error: unknown): void;
}

/** What makes this process count as a living worker. */
export interface Lease {
  /** Aborts when the worker does not count as alive any more. */
  lost: AbortSignal;
  /** Lets go of the lock. */
  end(): Promise<void>;
}

/** Registers a worker under a new id and keeps it alive: a session lock, and a lease that is renewed by the database's
 *  clock. A session that breaks is replaced, and the lease holds if nobody has noticed. Rejects where the database
 *  cannot be reached at first. */
export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const { database, clock, workerId, report } = options;
  const lost = new AbortController();
  const ended = new AbortController();
  let wake = new AbortController();
  let session: pg.Client | null = null;
  let heardAt = clock.monotonicMs();

  const drop = (client: pg.Client, error: Error) => {
    if (session !== client) return;
    session = null;
    client.end().catch(() => {});
    report('The session of the worker broke; connecting again', error);
    wake.abort();
  };

  const connect = async (enter: (client: pg.Client) => Promise<void>) => {
    const client = database.systemClient();
    client.on('error', (error) => drop(client, error));
    client.on('end', () => drop(client, new Error('The connection ended.')));
    try {
      await client.connect();
      await enter(client);
      session = client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  };

  const renew = async (client: pg.Client) => {
    const askedAt = clock.monotonicMs();
    if (await renewLease(client, workerId)) heardAt = askedAt;
    else lost.abort(new LeaseLost('Another worker took this one for dead.'));
  };

  const renewOrReconnect = async () => {
    const current = session;
    if (current !== null) return renew(current).catch((error) => drop(current, error));
    const rejoin = async (client: pg.Client) => {
      await renew(client);
      if (!(await retakeWorkerLock(client, workerId))) throw new Error('The old session still has the lock.');
    };
    await connect(rejoin).catch(() => {}); // the break was reported, and this is tried again until the lease is lost
  };

  const keep = async () => {
    while (!ended.signal.aborted && !lost.signal.aborted) {
      wake = new AbortController();
      const pause = AbortSignal.any([wake.signal, ended.signal]);
      await clock.sleep(session === null ? reconnectMs : renewMs, pause).catch(() => {});
      if (!ended.signal.aborted) await renewOrReconnect();
      if (clock.monotonicMs() - heardAt > silenceLimitMs) {
        lost.abort(new LeaseLost('The database has been out of reach for too long.'));
      }
    }
  };

  await connect((client) => registerWorker(client, workerId, options.lanes));
  const kept = keep();
  return {
    lost: lost.signal,
    async end() {
      ended.abort();
      await kept;
      const last = session;
      session = null;
      await last?.end();
    },
  };
}

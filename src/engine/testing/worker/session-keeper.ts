import type { PgBoss } from 'pg-boss';
import type { Clock, Random } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { within } from '../../execution/patience.ts';
import { retrying } from './database-trouble.ts';
import { takeLease } from './lease.ts';
import { retireWorker } from './retire.ts';
import { Session } from './session.ts';
import { WorkerStopping } from './stops.ts';

export interface SessionKeeperOptions {
  database: Database;
  queue: PgBoss;
  clock: Clock;
  random: Random;
  lanes: number;
  report(message: string, error: unknown): void;
}

export interface SessionKeeper {
  /** null while the database is away, and at the end. */
  current(): Session | null;
  /** Waits for the database where it is away; null at the end, and where the worker cannot go on. */
  enter(): Promise<Session | null>;
  /** Rejects with what keeps this process from being a living worker ever again; else settles never. */
  failed: Promise<never>;
  /** Lets what runs end for so long, stops the rest, records what there is, and has the rest queued again. */
  end(runningMs: number): Promise<void>;
}

/** Limits of the later steps of a shutdown, in milliseconds; with the first they stay below 30 seconds. */
const patience = { stopped: 4_000, records: 3_000, retirement: 3_000 };

/** Sees to it that this process counts as a living worker, and starts anew under another id whenever it does not.
 *  `onRenewed` hears of that. Rejects where the database cannot be reached at first. */
export async function keepSession(
  options: SessionKeeperOptions,
  onRenewed: () => void,
): Promise<SessionKeeper> {
  const { database, queue, clock, random, lanes, report } = options;
  const ending = new AbortController();
  const begin = async () => {
    const workerId = random.id();
    const lease = await takeLease({ database, clock, report, workerId, lanes });
    return new Session(workerId, lease, { database, clock, report });
  };

  let session: Session | null = await begin();
  let entrance = Promise.withResolvers<Session | null>();
  entrance.resolve(session);

  /** What it recorded stays; what it was running is queued again, unless another worker has done that already. */
  const replace = async (old: Session) => {
    report('This worker no longer counts as alive; it starts anew', old.lease.lost.reason);
    old.stop(old.lease.lost.reason);
    // what a claim takes now is queued again too
    await old.claimer.settled();
    await old.idle();
    await old.recorder.drain();
    const retire = () => retireWorker({ database, queue, random }, old.workerId);
    try {
      await retrying(retire, options, ending.signal, 'The cases of a lost worker cannot be queued again');
    } finally {
      await old.lease.end();
    }
    return retrying(begin, options, ending.signal, 'The worker cannot start anew');
  };

  const keep = async () => {
    for (let old = session; old !== null; old = session) {
      await firstAbort(old.lease.lost, ending.signal);
      if (ending.signal.aborted) return;
      session = null;
      entrance = Promise.withResolvers();
      // a recorder that waits for the database must not keep the process from ending
      ending.signal.addEventListener('abort', () => old.recorder.close(), { once: true });
      session = await replace(old);
      entrance.resolve(session);
      onRenewed();
    }
  };
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {}); // reported here, whoever waits for it
  const kept = keep().catch((error) => {
    if (ending.signal.aborted) return;
    report('The worker cannot go on', error);
    entrance.resolve(null);
    failure.reject(error);
  });

  const limited = (work: Promise<void>, ms: number, trouble: string) =>
    within(work, ms, clock, new Error(`not within ${ms / 1_000} seconds`)).catch((error) =>
      report(trouble, error),
    );

  const finish = async (last: Session, runningMs: number) => {
    last.startNoMore();
    await last.claimer.stop().catch((error) => report('Claimed cases could not be handed back', error));
    await within(last.idle(), runningMs, clock, new Error()).catch(() => {});
    last.stop(new WorkerStopping());
    await limited(last.idle(), patience.stopped, 'Some cases do not stop');
    await limited(last.recorder.drain(), patience.records, 'Some results are not recorded');
    last.recorder.close();
    const retired = retireWorker({ database, queue, random }, last.workerId);
    await limited(retired, patience.retirement, 'Unfinished cases wait for another worker to notice');
    await last.lease.end();
  };

  return {
    current: () => session,
    enter: () => entrance.promise,
    failed: failure.promise,
    async end(runningMs) {
      ending.abort(new WorkerStopping());
      entrance.resolve(null);
      entrance = Promise.withResolvers();
      entrance.resolve(null);
      await kept;
      const last = session;
      if (last !== null) await finish(last, runningMs);
      session = null;
    },
  };
}

function firstAbort(...signals: AbortSignal[]): Promise<void> {
  const either = AbortSignal.any(signals);
  return new Promise((resolve) => {
    if (either.aborted) return resolve();
    either.addEventListener('abort', () => resolve(), { once: true });
  });
}

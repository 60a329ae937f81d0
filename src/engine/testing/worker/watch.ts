import type { PgBoss } from 'pg-boss';
import type { Clock, Random } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { endRun, runsToEnd } from '../../../store/test-run.ts';
import { absentWorkers } from '../../../store/worker.ts';
import { cancelOrphans } from '../cancel.ts';
import { restoreLanes, retireAbsentWorker } from './retire.ts';

/** Two looks in a row must miss a lock, so that a session that is just being replaced does not count as gone. */
const lookMs = 450;
const restoreMs = 5_000;

export interface WatchOptions {
  database: Database;
  queue: PgBoss;
  clock: Clock;
  random: Random;
  /** Of this process; it does not watch itself. */
  ownId(): string | null;
  report(message: string, error: unknown): void;
}

/** Takes over from workers that are gone, and mends what a death in the wrong moment leaves behind. */
export interface Watch {
  /** Everything once, taking nobody's absence for a short one. */
  sweep(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createWatch({ database, queue, clock, random, ownId, report }: WatchOptions): Watch {
  const stopped = new AbortController();
  let watching: Promise<void> = Promise.resolve();
  let missed = new Set<string>();

  const look = async (patient: boolean) => {
    const absent = await absentWorkers(database.systemPool, ownId());
    const missing = absent.filter(({ id, lapsed }) => !patient || lapsed || missed.has(id));
    missed = new Set(absent.map(({ id }) => id));
    for (const { id } of missing) await retireAbsentWorker({ database, queue, random }, id);
  };

  const mend = async () => {
    await restoreLanes(database.system, queue);
    await database.system.transaction().execute((transaction) => cancelOrphans(transaction, random));
    for (const key of await runsToEnd(database.system)) await endRun(database.system, key);
  };

  const watch = async () => {
    let mendedAt = clock.monotonicMs();
    let troubled = false;
    for (;;) {
      await clock.sleep(lookMs, stopped.signal).catch(() => {});
      if (stopped.signal.aborted) return;
      try {
        await look(true);
        if (clock.monotonicMs() - mendedAt >= restoreMs) {
          await mend();
          mendedAt = clock.monotonicMs();
        }
        troubled = false;
      } catch (error) {
        if (!troubled) report('The watch over workers and runs failed; trying again', error);
        troubled = true;
      }
    }
  };

  return {
    async sweep() {
      await look(false);
      await mend();
    },
    start() {
      watching = watch();
    },
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}

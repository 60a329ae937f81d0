import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { type LaneJob, laneChannel, laneQueue } from '../../../store/queue.ts';
import { inRounds } from './rounds.ts';
import { type Slot, Slots } from './slots.ts';

/** Of so many lanes one is reserved for runs that just started. */
const reservedShare = 8;
/** How often is looked without a notice, in case one got lost, and after the database was away. */
const lookMs = 5_000;
const againMs = 500;

/** What takes lane jobs from the queue: each slot has one lane at a time. */
export interface LaneSlots {
  /** Has the free slots look for lanes now. */
  wake(): void;
  /** Takes no further lanes. */
  rest(): Promise<void>;
  /** Resolves when no lane is left. */
  empty(): Promise<void>;
}

export interface SlotParts {
  database: Database;
  queue: PgBoss;
  clock: Clock;
  report(message: string, error: unknown): void;
}

/** Takes lanes as soon as they are queued, for all free slots in one look, and the next ones that wait as soon as one
 *  ends. `run` does not throw. */
export async function offerSlots(
  { database, queue, clock, report }: SlotParts,
  count: number,
  run: (job: LaneJob, slot: Slot) => Promise<void>,
): Promise<LaneSlots> {
  const reservedCount = Math.floor(count / reservedShare);
  const reserved = new Slots(reservedCount, true, clock);
  const any = new Slots(count - reservedCount, false, clock);
  const held = new Set<Promise<void>>();
  const resting = new AbortController();
  const done: string[] = [];
  let wanted = false;

  const look = inRounds(
    () => {
      if (done.length === 0 && (!wanted || resting.signal.aborted)) return null;
      wanted = false;
      return done.splice(0);
    },
    async (ended) => {
      try {
        if (ended.length > 0) await queue.complete(laneQueue, ended);
        // a lane that came since is for the others: the first one of a run would keep the reserved slot for long
        if (await take(any)) await take(reserved);
      } catch (error) {
        // whose lane it was is told by its place, not by the queue: nothing is lost with `ended`
        report('The queue of lanes cannot be read', error);
        clock.sleep(againMs, resting.signal).then(wake, () => {});
      }
    },
  );

  /** Whether all of these slots have a lane by then. */
  const take = async (slots: Slots): Promise<boolean> => {
    const free = resting.signal.aborted ? 0 : slots.takeFree();
    if (free === 0) return true;
    const jobs = await fetched(slots, free);
    for (const { id, data } of jobs) {
      const { slot, end } = slots.hold(wake);
      const lane = run(data, slot).then(() => {
        held.delete(lane);
        done.push(id);
        end();
        wake();
      });
      held.add(lane);
    }
    return jobs.length === free;
  };

  const fetched = async (slots: Slots, free: number) => {
    let idle = free;
    try {
      const jobs = await queue.fetch<LaneJob>(laneQueue, {
        batchSize: free,
        ...(slots.reserved ? { minPriority: 0 } : {}),
      });
      idle -= jobs.length;
      return jobs;
    } finally {
      slots.release(idle);
    }
  };

  const wake = () => {
    wanted = true;
    void look();
  };

  const unlisten = await database.listen(laneChannel, { onNotice: wake, onGap: wake });
  const looking = (async () => {
    while (!resting.signal.aborted) {
      wake();
      await clock.sleep(lookMs, resting.signal).catch(() => {});
    }
  })();

  return {
    wake,
    rest: async () => {
      resting.abort();
      unlisten();
      await looking;
      await look();
    },
    empty: async () => {
      while (held.size > 0) await Promise.all(held);
      await look();
    },
  };
}

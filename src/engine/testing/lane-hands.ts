import type { PgBoss } from 'pg-boss';
import { type LaneJob, laneQueue } from '../../store/queue.ts';

/** Of so many lanes one is kept for runs that just started. */
const keptShare = 8;
const pollSeconds = { withNotices: 30, without: 1 };

/** What takes lane jobs from the queue: each hand holds one lane at a time. */
export interface LaneHands {
  /** Has every free hand look for a lane now. */
  wake(): void;
  /** Takes no further lanes. */
  rest(): Promise<void>;
  /** Resolves when no hand holds a lane. */
  empty(): Promise<void>;
}

/** Takes lanes as soon as they are queued, and the next one that waits as soon as one ends. `run` does not throw. */
export async function offerHands(
  queue: PgBoss,
  count: number,
  run: (job: LaneJob, kept: boolean) => Promise<void>,
): Promise<LaneHands> {
  const keptCount = Math.floor(count / keptShare);
  const ids = new Set<string>();
  for (let hand = 0; hand < count; hand++) {
    const kept = hand < keptCount;
    const id: string = await queue.work<LaneJob>(
      laneQueue,
      {
        pollingIntervalSeconds: pollSeconds.without,
        notifyPollingIntervalSeconds: pollSeconds.withNotices,
        ...(kept ? { minPriority: 0 } : {}),
      },
      async ([job]) => {
        if (job !== undefined) await run(job.data, kept);
        queue.notifyWorker(id); // else it would look again only at the next notice
      },
    );
    ids.add(id);
  }
  return {
    wake() {
      for (const id of ids) queue.notifyWorker(id);
    },
    rest: () => queue.offWork(laneQueue, { wait: false }),
    empty: () => queue.offWork(laneQueue, { wait: true }),
  };
}

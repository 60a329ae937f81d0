import { setTimeout as sleep } from 'node:timers/promises';
import { envelopeOf } from '../contract/client.ts';

export interface Patience {
  /** How long it may go on without an answer. */
  forMs: number;
  pauseMs: number;
}

const patience: Patience = { forMs: 60_000, pauseMs: 250 };

/** Does something again while it is refused as `unavailable`, such as by a database that starts anew. `work` calls
 *  `heard` with each sign of life; after `forMs` without one the refusal is thrown. Other errors are thrown at once. */
export async function ridingOut<Result>(
  work: (heard: () => void) => Promise<Result>,
  { forMs, pauseMs }: Patience = patience,
): Promise<Result> {
  let heardAt = performance.now();
  const heard = () => {
    heardAt = performance.now();
  };
  for (;;) {
    try {
      return await work(heard);
    } catch (error) {
      const isOver = performance.now() - heardAt > forMs;
      if (isOver || envelopeOf(error)?.code !== 'unavailable') throw error;
      await sleep(pauseMs);
    }
  }
}

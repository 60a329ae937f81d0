import { setTimeout as sleep } from 'node:timers/promises';
import { envelopeOf } from '../contract/client.ts';
import { ServerLost } from './failure.ts';

export interface Patience {
  /** How long it may go on without an answer. */
  forMs: number;
  pauseMs: number;
}

export const patience: Patience = { forMs: 60_000, pauseMs: 250 };

/** Does something again while it is refused as `unavailable`, such as by a database that starts anew, or the server is
 *  lost. `work` calls `heard` with each sign of life; after `forMs` without one the failure is thrown. Other errors are
 *  thrown at once. `onTrouble` hears of the first failure after a sign of life. */
export async function ridingOut<Result>(
  work: (heard: () => void) => Promise<Result>,
  { forMs, pauseMs }: Patience = patience,
  onTrouble: (error: unknown) => void = () => {},
): Promise<Result> {
  let troubledSince: number | null = null;
  const heard = () => {
    troubledSince = null;
  };
  for (;;) {
    try {
      return await work(heard);
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (troubledSince === null) onTrouble(error);
      troubledSince ??= performance.now();
      if (performance.now() - troubledSince > forMs) throw error;
      await sleep(pauseMs);
    }
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof ServerLost || envelopeOf(error)?.code === 'unavailable';
}

import type { Clock } from '../../core/ports.ts';

/** What work that was told to stop may take to do so. */
const graceMs = 1_000;

/** Waits for work that stops when the signal aborts. Where it does not, it is left behind after a second, and this
 *  rejects with the signal's reason. */
export async function stoppable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  clock: Clock,
): Promise<Result> {
  const settled = new AbortController();
  try {
    return await Promise.race([work, abandonment(signal, clock, settled.signal)]);
  } finally {
    settled.abort();
  }
}

/** Waits for work at most so long; then rejects with `tooLate`. */
export async function within<Result>(
  work: Promise<Result>,
  ms: number,
  clock: Clock,
  tooLate: Error,
): Promise<Result> {
  const settled = new AbortController();
  const limit = clock.sleep(ms, settled.signal).then(
    () => Promise.reject(tooLate),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, limit]);
  } finally {
    settled.abort();
  }
}

/** Rejects a while after the signal aborted; never settles where the work settles first. */
function abandonment(signal: AbortSignal, clock: Clock, settled: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abandon = () => {
      clock.sleep(graceMs, settled).then(
        () => reject(signal.reason),
        () => {},
      );
    };
    if (signal.aborted) return abandon();
    signal.addEventListener('abort', abandon, { once: true });
    settled.addEventListener('abort', () => signal.removeEventListener('abort', abandon), { once: true });
  });
}

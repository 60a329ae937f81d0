import type { Clock } from '../../core/ports.ts';

/** What work that was told to stop may take to do so. */
const graceMs = 1_000;

/** Waits for work that stops when the signal aborts. Where it does not, it is left behind after a second, and this
 *  rejects with the signal's reason. */
export function stoppable<Result>(work: Promise<Result>, signal: AbortSignal, clock: Clock): Promise<Result> {
  return new Promise((resolve, reject) => {
    let leaving: AbortController | null = null;
    const leave = () => {
      leaving = new AbortController();
      clock.sleep(graceMs, leaving.signal).then(
        () => reject(signal.reason),
        () => {},
      );
    };
    const settle = () => {
      signal.removeEventListener('abort', leave);
      leaving?.abort();
    };
    work.finally(settle).then(resolve, reject);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/** Waits for work at most so long; then rejects with `tooLate`. */
export async function within<Result>(
  work: Promise<Result>,
  ms: number,
  clock: Clock,
  tooLate: Error,
): Promise<Result> {
  let timer: AbortController | null = null;
  let settled = false;
  const settle = () => {
    settled = true;
    timer?.abort(null);
  };
  work.then(settle, settle);
  await null;
  if (settled) return work; // nothing to do is the rule, and needs no timer
  timer = new AbortController();
  const limit = clock.sleep(ms, timer.signal).then(
    () => Promise.reject(tooLate),
    () => work,
  );
  return Promise.race([work, limit]);
}

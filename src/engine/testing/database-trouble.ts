import pg from 'pg';
import type { Clock } from '../../core/ports.ts';

/** Classes of SQLSTATE that say the same however often it is tried: data exception, integrity violation, wrong
 *  statement, limit exceeded. */
const lasting = ['22', '23', '42', '54'];

/** The database is gone, starting, or out of breath: the same may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !lasting.includes(error.code?.slice(0, 2) ?? '');
  return !(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError);
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** Does something until it succeeds. Rejects where trying again is of no use, and with the signal's reason when it
 *  aborts. Reports the first failure only, since an outage makes many. */
export async function retrying<Result>(
  work: () => Promise<Result>,
  { clock, report }: { clock: Clock; report(message: string, error: unknown): void },
  signal: AbortSignal,
  trouble: string,
): Promise<Result> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (pauseMs === firstPauseMs) report(`${trouble}; trying again`, error);
      await clock.sleep(pauseMs, signal);
    }
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

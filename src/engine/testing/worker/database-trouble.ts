import pg from 'pg';
import type { Clock } from '../../../core/ports.ts';

/** SQLSTATEs, or classes of them, that speak of the moment: no connection, rolled back for others, out of resources, in
 *  use, shut down by an operator, trouble with the disk, still a standby. */
const passingStates = ['08', '40', '53', '55006', '55P03', '57', '58', '25006'];

/** What the system says of a connection that cannot be had or breaks; the first when the socket of the server is gone. */
const passingErrnos = [
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
];

/** What `pg` says of the same, without a code. */
const brokenConnection =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|There was an error establishing an SSL connection)/;

/** The database is gone, starting, or out of breath: the same may succeed later. Whatever is not known to pass is taken
 *  to last, so that nobody waits for ever for what never changes. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error instanceof pg.DatabaseError) return passingStates.some((state) => code.startsWith(state));
  return passingErrnos.includes(code) || brokenConnection.test(error.message);
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

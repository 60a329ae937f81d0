import type { Log } from './log.ts';

/** Tells of a trouble that is coped with. */
export type Warn = (message: string, error: unknown) => void;

const quietMs = 60_000;

/** An outage makes the same warning many times: it is logged once, and again when it still comes a minute later, then
 *  with how many were left out. `now` in milliseconds. */
export function createWarn(log: Log, now: () => number): Warn {
  const told = new Map<string, { at: number; leftOut: number }>();
  return (message, error) => {
    const before = told.get(message);
    if (before !== undefined && now() - before.at < quietMs) {
      before.leftOut += 1;
      return;
    }
    for (const [other, { at }] of told) if (now() - at >= quietMs) told.delete(other);
    told.set(message, { at: now(), leftOut: 0 });
    log('warn', message, {
      error: error instanceof Error ? error.message : String(error),
      ...(before === undefined || before.leftOut === 0 ? {} : { leftOut: before.leftOut }),
    });
  };
}

import type { Transaction } from 'kysely';
import type { Clock } from '../../core/ports.ts';
import { auditEntry, type ChangedBy, writeAudit } from '../../store/audit.ts';
import type { Database } from '../../store/database.ts';
import { openRunsInside, orphanedRuns } from '../../store/inner-run.ts';
import type { Schema } from '../../store/schema.ts';
import { cancelChannel, cancelledRuns, cancelOpenRun, type RunKey } from '../../store/test-run.ts';
import type { Session } from './worker/session.ts';
import { RunCancelled } from './worker/stops.ts';

const pollMs = 1_000;

/** Who is noted for a run that was cancelled since its case was cut short: no person asked for that. */
const workerKey = 'worker';

/** Cancels a run and those inside of it in this transaction: no further case starts, running ones are stopped wherever
 *  they run, results that are there stay. Each is told in the audit log. False where the run is over already, or there is
 *  none with this id in the workspace. */
export async function cancelRun(
  transaction: Transaction<Schema>,
  key: RunKey,
  by: ChangedBy,
): Promise<boolean> {
  const cancelled = await cancelOpenRun(transaction, key, new RunCancelled().message);
  if (cancelled === undefined) return false;
  await writeAudit(transaction, key.workspaceId, [
    auditEntry(by, 'test-run', 'cancel', { id: key.runId, name: cancelled.suiteName }),
  ]);
  // whoever starts one holds on to its case, so that by now all of them are there to be seen
  for (const inner of await openRunsInside(transaction, key)) await cancelRun(transaction, inner, by);
  return true;
}

/** Cancels the runs that nobody waits for any more: their case was cut short, and will be run again if at all. */
export async function cancelOrphans(
  transaction: Transaction<Schema>,
  random: ChangedBy['random'],
): Promise<void> {
  const by = { principal: workerKey, random };
  for (const key of await orphanedRuns(transaction)) await cancelRun(transaction, key, by);
}

export interface CancelWatchOptions {
  database: Database;
  clock: Clock;
  session(): Session | null;
  report(message: string, error: unknown): void;
}

/** Stops the cases of cancelled runs in this process: on notice, and by asking now and then in case one got lost.
 *  Resolves with what ends it. */
export async function watchCancels({
  database,
  clock,
  session,
  report,
}: CancelWatchOptions): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const stopRun = (runId: string) => session()?.runs.get(runId)?.stop(new RunCancelled());

  const ask = async () => {
    const runs = [...(session()?.runs.keys() ?? [])];
    if (runs.length > 0) for (const runId of await cancelledRuns(database.systemPool, runs)) stopRun(runId);
  };
  const askAndTell = () => ask().catch((error) => report('Cannot learn which runs were cancelled', error));
  const poll = async () => {
    while (!stopped.signal.aborted) {
      await clock.sleep(pollMs, stopped.signal).catch(() => {});
      await askAndTell();
    }
  };

  const unlisten = await database.listen(cancelChannel, {
    onNotice: stopRun,
    onGap: () => void askAndTell(),
  });
  const polling = poll();
  return async () => {
    stopped.abort();
    unlisten();
    await polling;
  };
}

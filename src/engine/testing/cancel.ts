import type { Clock } from '../../core/ports.ts';
import type { Database, WorkspaceTransaction } from '../../store/database.ts';
import { cancelChannel, cancelledRuns, cancelOpenRun, type RunKey } from '../../store/test-run.ts';
import type { Session } from './worker/session.ts';
import { RunCancelled } from './worker/stops.ts';

const pollMs = 1_000;

/** Cancels a run in this transaction: no further case starts, running ones are stopped wherever they run, results that
 *  are there stay. False where the run is over already, or there is none with this id in the workspace. */
export function cancelRun(transaction: WorkspaceTransaction, key: RunKey): Promise<boolean> {
  return cancelOpenRun(transaction, key, new RunCancelled().message);
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

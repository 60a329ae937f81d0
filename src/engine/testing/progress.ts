import { AssayError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Database } from '../../store/database.ts';
import { type RunKey, type RunState, runChannel, runState } from '../../store/test-run.ts';

/** A notice can get lost, and a worker can come or go without one. */
const pollMs = 2_000;
/** A big run tells of itself hundreds of times a second: between two looks lies so much more time than one took. */
const restFactor = 20;
const restMs = { least: 10, most: 300 };

/** The progress of a run: at once, then whenever it changes. Ends after the run has ended, or when the signal aborts.
 *  Throws `not_found` where the workspace has no run with this id. */
export async function* runProgress(
  { database, clock }: { database: Database; clock: Clock },
  key: RunKey,
  signal: AbortSignal,
): AsyncGenerator<RunState, void, void> {
  let changed = new AbortController();
  const tell = () => changed.abort();
  const unlisten = await database.listen(runChannel, {
    onNotice: (runId) => {
      if (runId === key.runId) tell();
    },
    onGap: tell,
  });
  signal.addEventListener('abort', tell, { once: true });
  try {
    for (let shown = ''; !signal.aborted; ) {
      changed = new AbortController();
      const lookedAt = clock.monotonicMs();
      const state = await database.inWorkspace(key.workspaceId, (transaction) => runState(transaction, key));
      if (state === null) throw new AssayError('not_found', `There is no test run "${key.runId}".`);
      const text = JSON.stringify(state);
      if (text !== shown) yield state;
      shown = text;
      if (state.status === 'finished' || state.status === 'cancelled') return;
      const rest = restFactor * (clock.monotonicMs() - lookedAt);
      await clock.sleep(Math.min(Math.max(rest, restMs.least), restMs.most), signal).catch(() => {});
      await clock.sleep(pollMs, changed.signal).catch(() => {});
    }
  } finally {
    signal.removeEventListener('abort', tell);
    unlisten();
  }
}

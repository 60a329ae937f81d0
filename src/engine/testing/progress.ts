import { AssayError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Database } from '../../store/database.ts';
import {
  firstPlace,
  lastPlace,
  type RecordedPlace,
  type RecordedResult,
  readRecorded,
} from '../../store/recorded-result.ts';
import { type RunKey, type RunState, runChannel, runState } from '../../store/test-run.ts';

/** A notice can get lost, and a worker can come or go without one. */
const pollMs = 2_000;
/** A big run tells of itself hundreds of times a second: between two looks lies so much more time than one took. */
const restFactor = 20;
const restMs = { least: 10, most: 300 };
/** Results that are held in memory at once. */
const resultsAtOnce = 500;

export type RunEvent = ({ type: 'progress' } & RunState) | ({ type: 'result' } & RecordedResult);

/** What is new of a run, and the place in the order of recording that whoever has it has got to. */
export interface PlacedEvent {
  place: RecordedPlace;
  event: RunEvent;
}

export interface WatchedRun extends RunKey {
  /** Which results are told of: those behind a place, `all`, those recorded from now on, or `none`. */
  results: RecordedPlace | 'all' | 'new' | 'none';
}

/** A run from now to its end: each result in the order of their recording, and its progress at once and whenever that
 *  changes. The last event is the progress of the run that has ended. Reads on only as the events are taken. Ends
 *  without that event when the signal aborts, and throws its reason where that is an AssayError. Throws `not_found`
 *  where the workspace has no run with this id. */
export async function* watchRun(
  { database, clock }: { database: Database; clock: Clock },
  { results, ...key }: WatchedRun,
  signal: AbortSignal,
): AsyncGenerator<PlacedEvent, void, void> {
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
    let place = typeof results === 'object' ? results : firstPlace;
    if (results === 'new') {
      place = await database.inSnapshot(key.workspaceId, (transaction) => lastPlace(transaction, key));
    }
    for (let shown = ''; !signal.aborted; ) {
      changed = new AbortController();
      const lookedAt = clock.monotonicMs();
      const { recorded, state } = await look(database, key, results === 'none' ? null : place);
      const tookMs = clock.monotonicMs() - lookedAt;
      for (const { place: reached, result } of recorded) {
        place = reached;
        yield { place, event: { type: 'result', ...result } };
      }
      if (recorded.length === resultsAtOnce) continue;
      const text = JSON.stringify(state);
      if (text !== shown) yield { place, event: { type: 'progress', ...state } };
      shown = text;
      if (hasEnded(state)) return;
      const rest = Math.min(Math.max(restFactor * tookMs, restMs.least), restMs.most);
      await clock.sleep(rest, signal).catch(() => {});
      await clock.sleep(pollMs, changed.signal).catch(() => {});
    }
    if (signal.reason instanceof AssayError) throw signal.reason;
  } finally {
    signal.removeEventListener('abort', tell);
    unlisten();
  }
}

/** How far a run is, and what it has recorded behind a place, at one moment. */
function look(database: Database, key: RunKey, after: RecordedPlace | null) {
  return database.inSnapshot(key.workspaceId, async (transaction) => {
    const state = await runState(transaction, key);
    if (state === null) throw new AssayError('not_found', `There is no test run "${key.runId}".`);
    const recorded = after === null ? [] : await readRecorded(transaction, key, after, resultsAtOnce);
    return { recorded, state };
  });
}

/** Waits until a run has ended, for `forMs` at most or until the signal aborts. */
export async function runEnds(
  { database, clock }: { database: Database; clock: Clock },
  key: RunKey,
  forMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const stopWaiting = () => over.abort();
  clock.sleep(forMs, AbortSignal.any([signal, over.signal])).then(stopWaiting, stopWaiting);
  try {
    for await (const _ of watchRun({ database, clock }, { ...key, results: 'none' }, over.signal));
  } finally {
    stopWaiting();
  }
}

function hasEnded({ status }: RunState): boolean {
  return status === 'finished' || status === 'cancelled';
}

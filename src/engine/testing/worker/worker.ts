import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../core/ports.ts';
import type { Database } from '../../../store/database.ts';
import { waitingRuns } from '../../../store/lane.ts';
import type { ExecutionPorts } from '../../execution/execute.ts';
import { watchCancels } from '../cancel.ts';
import type { RunningCases } from '../running-cases.ts';
import { retrying } from './database-trouble.ts';
import { createSubjectLoader } from './frozen-subjects.ts';
import { type LaneParts, runLane } from './lane.ts';
import { type LaneSlots, offerSlots } from './lane-slots.ts';
import { keepSession } from './session-keeper.ts';
import { createWatch } from './watch.ts';

export interface WorkerOptions {
  database: Database;
  /** Started; whoever started it hears its errors, and stops it after the worker. */
  queue: PgBoss;
  ports: ExecutionPorts;
  /** Where cases are found by what is called from inside of them. */
  running: RunningCases;
  /** How many lanes may run in this process at once. */
  lanes: number;
  /** Hears of troubles that the worker copes with by itself. */
  report(message: string, error: unknown): void;
}

export interface Worker {
  /** Starts no further case and lets the running ones end for `runningMs`; what has not ended then is stopped and queued
   *  again. Takes less than 30 seconds unless told otherwise. */
  stop(options?: { runningMs?: number }): Promise<void>;
  /** Rejects where the worker cannot go on, so that its process should end: it takes no further case. Else settles never. */
  failed: Promise<never>;
}

const runningLimitMs = 17_000;

/** Works on test runs in this process until it is stopped. Survives the loss of the database: what it was doing is done
 *  again when the database is back. Rejects where it cannot be reached at first. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { database, queue, ports, running, lanes, report } = options;
  const { clock, random } = ports;
  const parts = { database, queue, clock, report };

  let slots: LaneSlots | null = null;
  const keeper = await keepSession({ ...parts, random, lanes }, () => slots?.wake());
  const watch = createWatch({ ...parts, random, ownId: () => keeper.current()?.workerId ?? null });
  await watch.sweep();
  watch.start();
  const unwatchCancels = await watchCancels({ ...parts, session: keeper.current });

  const loadSubject = createSubjectLoader(database);
  const laneParts: LaneParts = {
    ...parts,
    running,
    // what a case reads while the database is away says nothing about the case
    ports: {
      ...ports,
      observe: (workspaceId, object, name, signal) =>
        retrying(
          () => ports.observe(workspaceId, object, name, signal),
          parts,
          signal,
          'Objects of a workspace cannot be looked for',
        ),
    },
    loadSubject: (run, contentHash, signal) =>
      retrying(() => loadSubject(run, contentHash), parts, signal, 'What answers in a run cannot be read'),
    waitingRuns: remembered(clock, () =>
      waitingRuns(database.systemPool).catch((error) => {
        report('Cannot learn which lanes wait', error);
        return [];
      }),
    ),
  };
  const offered = await offerSlots(parts, lanes, async (job, slot) => {
    try {
      const session = await keeper.enter();
      if (session !== null) await session.track(runLane(session, job, slot, laneParts));
    } catch (error) {
      report(`A lane of run ${job.runId} broke off`, error);
    }
  });
  slots = offered;

  return {
    failed: keeper.failed,
    async stop({ runningMs = runningLimitMs } = {}) {
      await offered.rest();
      await keeper.end(runningMs);
      await unwatchCancels();
      await watch.stop();
      await offered.empty();
    },
  };
}

const freshMs = 200;

/** Asks anew only when the last answer is no longer fresh. */
function remembered<Answer>(clock: Clock, ask: () => Promise<Answer>): () => Promise<Answer> {
  let last: { at: number; answer: Promise<Answer> } | null = null;
  return () => {
    const now = clock.monotonicMs();
    if (last === null || now - last.at > freshMs) last = { at: now, answer: ask() };
    return last.answer;
  };
}

import type { PgBoss } from 'pg-boss';
import type { Database } from '../../../store/database.ts';
import { leavePlace } from '../../../store/lane.ts';
import { type LaneJob, queueLanes } from '../../../store/queue.ts';
import type { ExecutionPorts } from '../../execution/execute.ts';
import { within } from '../../execution/patience.ts';
import { type CaseParts, runCase } from '../run-case.ts';
import type { ActiveRun } from './active-run.ts';
import type { TakenPlace } from './lane-places.ts';
import type { Session } from './session.ts';
import type { Slot } from './slots.ts';

/** After so long a lane makes way for others that wait. */
const sliceMs = 2_000;
/** Behind every lane of a run that just started, which has 0. */
const laterPriority = -1;
/** How long a lane that is reserved for new runs waits to learn how long the cases of a run take. */
const paceWaitMs = 250;
const closeRunLimitMs = 5_000;

export interface LaneParts {
  database: Database;
  queue: PgBoss;
  ports: ExecutionPorts;
  loadSubject: CaseParts['loadSubject'];
  running: CaseParts['running'];
  /** Runs with lanes that wait for room. */
  waitingRuns(): Promise<readonly string[]>;
  report(message: string, error: unknown): void;
}

/** One lane of a run: takes its cases one after another until none is queued, or until others should have a turn. With
 *  a slot that is for new runs it stays only while the cases are short. */
export async function runLane(
  session: Session,
  { workspaceId, runId }: LaneJob,
  slot: Slot,
  parts: LaneParts,
): Promise<void> {
  const place = await session.places.take({ workspaceId, runId });
  if (place === null) return;
  const run = session.enter({ workspaceId, runId }, place.token);
  let goesOn = false;
  try {
    goesOn = (slot.reserved && (await crowdsOut(run, parts))) || (await takeCases(session, run, slot, parts));
  } finally {
    await leave(session, run, place, goesOn, parts);
  }
}

/** True: there may be more to do, by a lane that starts anew. */
async function takeCases(session: Session, run: ActiveRun, slot: Slot, parts: LaneParts): Promise<boolean> {
  const { clock } = parts.ports;
  const begun = clock.monotonicMs();
  while (!run.stopped) {
    await session.recorder.room();
    const claimed = await session.claimer.next(run);
    if (claimed === null) return false;
    await runCase(claimed, run, { ...parts, slot, recorder: session.recorder });
    if (clock.monotonicMs() - begun < sliceMs || session.over) continue;
    if (slot.wanted || (slot.reserved && run.pace !== 'short')) return true;
    if ((await parts.waitingRuns()).some((runId) => runId !== run.key.runId)) return true;
  }
  return false;
}

/** Whether a further lane of the run would keep new runs out for long. */
async function crowdsOut(run: ActiveRun, { ports: { clock } }: LaneParts): Promise<boolean> {
  if (run.lanes === 1) return false;
  const known = new AbortController();
  await Promise.race([run.paceKnown, clock.sleep(paceWaitMs, known.signal)]);
  known.abort();
  return run.pace !== 'short';
}

/** The place goes back, and what was claimed ahead where this was the last lane; what goes on does so in one step. */
async function leave(
  session: Session,
  run: ActiveRun,
  place: TakenPlace,
  goesOn: boolean,
  parts: LaneParts,
): Promise<void> {
  const last = session.leave(run);
  try {
    if (last) await session.claimer.leave(run);
    if (goesOn) await queueAgain(session, place, parts);
  } catch (error) {
    // the watch misses the lane and makes another one
    parts.report(`A lane of run ${run.key.runId} could not be queued again`, error);
  }
  session.places.leave(place);
  if (last) await closeShared(run, parts);
}

async function queueAgain(
  session: Session,
  { workspaceId, runId, ...place }: TakenPlace,
  { database, queue }: LaneParts,
): Promise<void> {
  await database.system.transaction().execute(async (transaction) => {
    if (!(await leavePlace(transaction, session.workerId, { workspaceId, runId, ...place }))) return;
    await queueLanes(transaction, queue, [{ workspaceId, runId }], laterPriority);
  });
}

/** Ends what the conversations of the run shared in this process. */
async function closeShared({ key: { runId } }: ActiveRun, { ports, report }: LaneParts): Promise<void> {
  try {
    await within(ports.tools.closeRun(runId), closeRunLimitMs, ports.clock, new Error('It takes too long.'));
  } catch (error) {
    report(`What the conversations of run ${runId} shared could not be closed`, error);
  }
}

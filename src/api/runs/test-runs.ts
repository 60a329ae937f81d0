import { implement } from '@orpc/server';
import type { ListedResult } from '../../contract/result.ts';
import { type RunSummary, type StartRun, testRunsContract } from '../../contract/test-runs.ts';
import { AssayError } from '../../core/errors.ts';
import { cancelRun } from '../../engine/testing/cancel.ts';
import { runEnds, watchRun } from '../../engine/testing/progress.ts';
import { startRun } from '../../engine/testing/start.ts';
import { listRuns, type RunKey, type RunPart } from '../../store/test-run.ts';
import { roleHere } from '../call/caller.ts';
import { changedBy } from '../call/changed-by.ts';
import type { ApiContext } from '../call/context.ts';
import { locate } from '../call/locate.ts';
import { type Call, guarded, type OperationContext } from '../call/operation.ts';
import { type Page, type PageInput, pageById } from '../call/page.ts';
import { refusing } from '../call/refusal.ts';
import { followWhileStanding, whileStanding } from '../call/standing.ts';
import { placeOf, withIds } from './run-events.ts';
import { readReportedRun, readRunResult, readTestResult } from './run-result.ts';
import { requireRun, suiteIdOf, summariesOf, summaryOf } from './stored-run.ts';
import { readListedResults, type WantedResults } from './test-results.ts';

interface RunId {
  testRunId: string;
}

/** Of a caller who cannot hang up. */
const never = new AbortController().signal;

const runs = implement(testRunsContract).$context<Call>().use(guarded);

export const router = runs.router({
  start: runs.start.handler(async ({ context, input, signal }) =>
    startTestRun(await locate(context, 'test_suite', input.testSuiteId), input, signal ?? never),
  ),
  get: runs.get.handler(async ({ context, input }) => getTestRun(await at(context, input), input)),
  list: runs.list.handler(({ context, input }) => listTestRuns(context, input)),
  results: runs.results.handler(async ({ context, input }) => listResults(await at(context, input), input)),
  result: runs.result.handler(async ({ context, input: { testResultId } }) =>
    getResult(await locate(context, 'test_result', testResultId), testResultId),
  ),
  progress: runs.progress.handler(async ({ context, input, lastEventId, signal }) =>
    watchTestRun(await at(context, input), { ...input, lastEventId }, signal ?? never),
  ),
  cancel: runs.cancel.handler(async ({ context, input }) => cancelTestRun(await at(context, input), input)),
  junit: runs.junit.handler(async ({ context, input }) => reportTestRun(await at(context, input), input)),
});

function at(context: OperationContext, { testRunId }: RunId): Promise<OperationContext> {
  return locate(context, 'test_run', testRunId);
}

async function startTestRun(
  context: ApiContext,
  { waitSeconds = 0, ...input }: StartRun,
  signal: AbortSignal,
): Promise<RunSummary> {
  const { program, workspace, principal, caller } = context;
  const parts = { ...program, queue: await program.queue() };
  const by = { principal, role: roleHere(context), parent: caller.inside ?? null };
  const { runId, replayed } = await startRun(parts, { ...input, ...by, workspaceId: workspace.id });
  const started = { workspaceId: workspace.id, runId, replayed };
  if (waitSeconds > 0) await waitForRun(context, started, waitSeconds, signal);
  return program.database.inWorkspace(workspace.id, (transaction) =>
    summaryOf(transaction, workspace.id, runId),
  );
}

/** A test case that waits makes room for the run that it waits for, and one that gives up waiting for a run that this
 *  call has started ends it: nobody else asked for it. */
async function waitForRun(
  context: ApiContext,
  { replayed, ...key }: RunKey & { replayed: boolean },
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { program, principal, caller } = context;
  const wait = () => whileStanding(context, signal, (until) => runEnds(program, key, seconds * 1_000, until));
  if (caller.inside === undefined) return wait();
  await caller.inside.whileWaiting(async () => {
    const refused = await wait().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (refused !== null || signal.aborted) await giveUp();
    if (refused !== null) throw refused.error;
  });

  async function giveUp() {
    if (replayed) return;
    const by = changedBy({ program, principal });
    await program.database.inWorkspace(key.workspaceId, (transaction) => cancelRun(transaction, key, by));
  }
}

function getTestRun(
  { program, workspace }: ApiContext,
  { testRunId, ...part }: RunId & { limit?: number | undefined; cursor?: string | undefined },
) {
  return program.database.inSnapshot(workspace.id, (transaction) =>
    readRunResult(transaction, workspace.id, testRunId, part),
  );
}

function listResults(
  { program, workspace }: ApiContext,
  { testRunId, ...wanted }: RunId & WantedResults,
): Promise<Page<ListedResult>> {
  return program.database.inSnapshot(workspace.id, (transaction) =>
    readListedResults(transaction, workspace.id, testRunId, wanted),
  );
}

function getResult({ program, workspace }: ApiContext, testResultId: string) {
  return program.database.inSnapshot(workspace.id, (transaction) =>
    readTestResult(transaction, workspace.id, testResultId),
  );
}

/** Newest first. */
function listTestRuns(
  { program, workspace }: ApiContext,
  {
    testSuite,
    status,
    outcome,
    ...input
  }: PageInput & Pick<RunPart, 'status' | 'outcome'> & { testSuite?: string | undefined },
): Promise<Page<RunSummary>> {
  return program.database.inSnapshot(workspace.id, async (transaction) => {
    const suiteId =
      testSuite === undefined ? undefined : await suiteIdOf(transaction, workspace.id, testSuite);
    const page = await pageById(
      input,
      (before, limit) => listRuns(transaction, workspace.id, { before, limit, suiteId, status, outcome }),
      ({ id }) => id,
    );
    return { ...page, items: await summariesOf(transaction, workspace.id, page.items) };
  });
}

/** Refuses a run that is not there at once, and not only when the stream begins. */
async function watchTestRun(
  context: ApiContext,
  {
    testRunId,
    results,
    lastEventId,
  }: RunId & { results: 'all' | 'new' | 'none'; lastEventId: string | undefined },
  signal: AbortSignal,
) {
  const { program, workspace } = context;
  const { total } = await program.database.inWorkspace(workspace.id, (transaction) =>
    requireRun(transaction, workspace.id, testRunId),
  );
  const from = !lastEventId || results === 'none' ? results : placeOf(lastEventId, total);
  const watched = { workspaceId: workspace.id, runId: testRunId, results: from };
  const follow = (until: AbortSignal) => withIds(watchRun(program, watched, until));
  return refusing(followWhileStanding(context, signal, follow));
}

/** Cancelling twice is no mistake; a run that came to its end cannot be cancelled any more. */
function cancelTestRun(
  { program, workspace, principal }: ApiContext,
  { testRunId }: RunId,
): Promise<RunSummary> {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    await requireRun(transaction, workspace.id, testRunId);
    const by = changedBy({ program, principal });
    await cancelRun(transaction, { workspaceId: workspace.id, runId: testRunId }, by);
    const run = await summaryOf(transaction, workspace.id, testRunId);
    if (run.status !== 'cancelled') {
      throw new AssayError('conflict', `The run ${testRunId} is over already: it is ${run.status}.`, [
        { field: 'testRunId', value: testRunId, message: 'names a run that is over' },
      ]);
    }
    return run;
  });
}

async function reportTestRun(
  { program, workspace }: ApiContext,
  { testRunId }: RunId,
): Promise<{ text: string }> {
  const { junitReport } = await import('../../files/junit.ts');
  const run = await program.database.inWorkspace(workspace.id, (transaction) =>
    readReportedRun(transaction, workspace.id, testRunId),
  );
  return { text: junitReport(run) };
}

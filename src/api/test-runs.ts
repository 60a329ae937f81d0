import { implement } from '@orpc/server';
import { validate as isUuid } from 'uuid';
import { type RunSummary, type StartRun, testRunsContract } from '../contract/test-runs.ts';
import { AssayError } from '../core/errors.ts';
import { principalKey } from '../core/principal.ts';
import { cancelRun } from '../engine/testing/cancel.ts';
import { runProgress } from '../engine/testing/progress.ts';
import { startRun } from '../engine/testing/start.ts';
import { writeAudit } from '../store/audit.ts';
import { listRuns } from '../store/test-run.ts';
import { roleHere } from './caller.ts';
import type { ApiContext } from './context.ts';
import { locate } from './locate.ts';
import { type Call, guarded, type OperationContext } from './operation.ts';
import { unknownCursor } from './page.ts';
import { refusing } from './refusal.ts';
import { readReportedRun, readRunResult } from './run-result.ts';
import { requireRun, summariesOf, summaryOf } from './stored-run.ts';

interface RunId {
  testRunId: string;
}

const runs = implement(testRunsContract).$context<Call>().use(guarded);

export const router = runs.router({
  start: runs.start.handler(async ({ context, input }) =>
    startTestRun(await locate(context, 'test_suite', input.testSuiteId), input),
  ),
  get: runs.get.handler(async ({ context, input }) => getTestRun(await at(context, input), input)),
  list: runs.list.handler(({ context, input }) => listTestRuns(context, input)),
  progress: runs.progress.handler(async ({ context, input, signal }) =>
    watchTestRun(await at(context, input), input, signal ?? new AbortController().signal),
  ),
  cancel: runs.cancel.handler(async ({ context, input }) => cancelTestRun(await at(context, input), input)),
  junit: runs.junit.handler(async ({ context, input }) => reportTestRun(await at(context, input), input)),
});

function at(context: OperationContext, { testRunId }: RunId): Promise<OperationContext> {
  return locate(context, 'test_run', testRunId);
}

async function startTestRun(context: ApiContext, input: StartRun): Promise<RunSummary> {
  const { program, workspace, principal } = context;
  const parts = { ...program, queue: await program.queue() };
  const { runId } = await startRun(parts, {
    ...input,
    workspaceId: workspace.id,
    principal,
    role: roleHere(context),
    parent: context.caller.inside ?? null,
  });
  return program.database.inWorkspace(workspace.id, (transaction) =>
    summaryOf(transaction, workspace.id, runId),
  );
}

function getTestRun({ program, workspace }: ApiContext, { testRunId }: RunId) {
  return program.database.inWorkspace(workspace.id, (transaction) =>
    readRunResult(transaction, workspace.id, testRunId),
  );
}

/** Newest first. The last id of a page is where the next one goes on. */
function listTestRuns(
  { program, workspace }: ApiContext,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: RunSummary[]; nextCursor: string | null }> {
  if (cursor !== undefined && !isUuid(cursor)) throw unknownCursor(cursor);
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const runs = await listRuns(transaction, workspace.id, { before: cursor, limit: limit + 1 });
    const page = runs.slice(0, limit);
    return {
      items: await summariesOf(transaction, workspace.id, page),
      nextCursor: runs.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  });
}

/** Refuses a run that is not there at once, and not only when the stream begins. */
async function watchTestRun({ program, workspace }: ApiContext, { testRunId }: RunId, signal: AbortSignal) {
  await program.database.inWorkspace(workspace.id, (transaction) =>
    requireRun(transaction, workspace.id, testRunId),
  );
  return refusing(runProgress(program, { workspaceId: workspace.id, runId: testRunId }, signal));
}

/** Cancelling twice is no mistake; a run that came to its end cannot be cancelled any more. */
function cancelTestRun(
  { program, workspace, principal }: ApiContext,
  { testRunId }: RunId,
): Promise<RunSummary> {
  return program.database.inWorkspace(workspace.id, async (transaction) => {
    const before = await requireRun(transaction, workspace.id, testRunId);
    if (await cancelRun(transaction, { workspaceId: workspace.id, runId: testRunId })) {
      await writeAudit(transaction, workspace.id, [
        {
          id: program.random.id(),
          principal: principalKey(principal),
          action: 'test-run.cancel',
          objectKind: 'test-run',
          objectId: testRunId,
          objectName: before.suite_name,
        },
      ]);
    }
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
  const { junitReport } = await import('../files/junit.ts');
  const run = await program.database.inWorkspace(workspace.id, (transaction) =>
    readReportedRun(transaction, workspace.id, testRunId),
  );
  return { text: junitReport(run) };
}

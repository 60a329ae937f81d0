import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';
import { caseOutcome, runResult, runStatus, totals } from './result.ts';

const startRunInput = z
  .strictObject({
    /** Id, or name in the current workspace. */
    testSuiteId: z.string().min(1, 'must name a test suite'),
    agentVersionTarget: z.enum(['configured', 'latest', 'specific']).default('configured'),
    /** Id, or the name of a version of the agent that the cases test. */
    agentVersionId: z.string().min(1).optional(),
    parallel: z.int().min(1).max(64).default(1),
    /** The same key returns the same run for 24 hours; with another body it is refused. */
    idempotencyKey: z.string().min(1).max(200).optional(),
    /** Answers when the run has ended, or as it stands after so many seconds. */
    waitSeconds: z.int().min(0).max(3600).optional(),
  })
  .refine((input) => input.agentVersionTarget !== 'specific' || input.agentVersionId !== undefined, {
    path: ['agentVersionId'],
    error: 'is needed with the target "specific"',
  })
  .refine((input) => input.agentVersionTarget === 'specific' || input.agentVersionId === undefined, {
    path: ['agentVersionId'],
    error: 'goes only with the target "specific"',
  });

export type StartRun = z.infer<typeof startRunInput>;

const runId = z.strictObject({ testRunId: z.string().min(1) });

const runSummary = z.object({
  id: z.string(),
  suite: z.object({ id: z.string(), name: z.string() }),
  status: runStatus,
  outcome: caseOutcome.nullable(),
  token: z.string(),
  createdAt: z.string(),
  startedBy: z.string(),
  totals,
});

export type RunSummary = z.infer<typeof runSummary>;

/** Progress of a run. The last event has status `finished` or `cancelled`; then the stream ends. */
const runProgress = z.object({
  status: runStatus,
  outcome: caseOutcome.nullable(),
  totals,
  /** Cases with a recorded result. */
  done: z.int(),
  running: z.int(),
  /** Whether any process is there to work on the run. */
  workers: z.int(),
});
export type RunProgress = z.infer<typeof runProgress>;

export const testRunsContract = {
  start: operation({
    method: 'POST',
    path: '/test-runs',
    summary: 'Run a test suite',
    role: 'editor',
    mcp: { name: 'run-test-suite', readOnly: false, destructive: false },
  })
    .input(startRunInput)
    .output(runSummary),
  get: operation({
    method: 'GET',
    path: '/test-runs/{testRunId}',
    summary: 'Result of a run',
    role: 'viewer',
    mcp: { name: 'get-test-run-result', readOnly: true, destructive: false },
  })
    .input(runId)
    .output(runResult),
  list: operation({ method: 'GET', path: '/test-runs', summary: 'Test runs, newest first', role: 'viewer' })
    .input(pageInput)
    .output(page(runSummary)),
  progress: operation({
    method: 'GET',
    path: '/test-runs/{testRunId}/events',
    summary: 'Progress of a run until it ends, as server-sent events',
    role: 'viewer',
  })
    .input(runId)
    .output(eventIterator(runProgress)),
  cancel: operation({
    method: 'POST',
    path: '/test-runs/{testRunId}/cancel',
    summary: 'Stop a run; finished results stay',
    role: 'editor',
  })
    .input(runId)
    .output(runSummary),
  junit: operation({
    method: 'GET',
    path: '/test-runs/{testRunId}/junit',
    summary: 'Result of a run as JUnit XML',
    role: 'viewer',
  })
    .input(runId)
    .output(z.object({ text: z.string() })),
};

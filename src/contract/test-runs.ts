import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { longestWaitSeconds } from './longest-wait.ts';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';
import { caseOutcome, listedResult, runResult, runStatus, testResult, totals } from './result.ts';

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
    waitSeconds: z.int().min(0).max(longestWaitSeconds).optional(),
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

const runProgress = z.object({
  type: z.literal('progress'),
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

const recordedResult = z.object({
  type: z.literal('result'),
  ...listedResult.pick({ id: true, seq: true, testCase: true, reason: true, durationMs: true }).shape,
  outcome: caseOutcome,
});
export type RecordedResult = z.infer<typeof recordedResult>;

/** A run from now to its end. The last event is its progress with status `finished` or `cancelled`; a stream that ends
 *  without it has broken off. Whoever connects again with the id of the last event that arrived (`Last-Event-ID`) gets
 *  the results since then, each of them once. */
const runEvent = z.discriminatedUnion('type', [runProgress, recordedResult]);

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
    mcp: { name: 'get-test-run-result', readOnly: true, destructive: false, cutAt: 'results' },
  })
    .input(
      runId.extend({
        /** So many results, after those that an earlier answer gave with this cursor; missing both: all of them. */
        limit: pageInput.shape.limit.unwrap().optional(),
        cursor: pageInput.shape.cursor,
      }),
    )
    .output(runResult),
  list: operation({
    method: 'GET',
    path: '/test-runs',
    summary: 'List test runs, newest first',
    role: 'viewer',
    mcp: { name: 'list-test-runs', readOnly: true, destructive: false },
  })
    .input(
      pageInput.extend({
        /** Id, or name in the current workspace. */
        testSuite: z.string().min(1).optional(),
        status: runStatus.optional(),
        outcome: caseOutcome.optional(),
      }),
    )
    .output(page(runSummary)),
  results: operation({
    method: 'GET',
    path: '/test-runs/{testRunId}/results',
    summary: 'List the results of the cases of a run, in the order of the suite',
    role: 'viewer',
    mcp: { name: 'list-test-results', readOnly: true, destructive: false },
  })
    .input(
      pageInput.extend({
        ...runId.shape,
        outcome: caseOutcome.optional(),
        /** Part of the name of the case, whatever its case. */
        search: z.string().max(200).optional(),
      }),
    )
    .output(page(listedResult)),
  result: operation({
    method: 'GET',
    path: '/test-results/{testResultId}',
    summary: 'Result of one case of a run, with its conversations',
    role: 'viewer',
    mcp: { name: 'get-test-result', readOnly: true, destructive: false },
  })
    .input(z.strictObject({ testResultId: z.string().min(1) }))
    .output(testResult),
  progress: operation({
    method: 'GET',
    path: '/test-runs/{testRunId}/events',
    summary: 'Progress and results of a run as they come, until it ends, as server-sent events',
    role: 'viewer',
  })
    .input(
      runId.extend({
        /** Which results come as events: those that are there and all further ones, the further ones, or none. */
        results: z.enum(['all', 'new', 'none']).default('all'),
      }),
    )
    .output(eventIterator(runEvent)),
  cancel: operation({
    method: 'POST',
    path: '/test-runs/{testRunId}/cancel',
    summary: 'Stop a run; finished results stay',
    role: 'editor',
    mcp: { name: 'cancel-test-run', readOnly: false, destructive: true },
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

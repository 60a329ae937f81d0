import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { longestWaitSeconds } from './longest-wait.ts';
import { operation } from './operation.ts';
import { page, pageInput } from './page.ts';
import { caseOutcome, listedResult, runResult, runStatus, testResult, totals } from './result.ts';

const startRunInput = z
  .strictObject({
    testSuiteId: z
      .string()
      .min(1, 'must name a test suite')
      .describe('Id of the suite, or its name in the current workspace'),
    agentVersionTarget: z
      .enum(['configured', 'latest', 'specific'])
      .default('configured')
      .describe(
        'Which version answers: as each case says, the one deployed in the environment of the case, or one certain version',
      ),
    agentVersionId: z
      .string()
      .min(1)
      .optional()
      .describe('The version that answers with the target "specific": its id, or its name'),
    parallel: z.int().min(1).max(64).default(1).describe('Cases at once'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The same key gives the same run for 24 hours; with another request it is refused'),
    waitSeconds: z
      .int()
      .min(0)
      .max(longestWaitSeconds)
      .optional()
      .describe('Answers when the run has ended, or as it stands after so many seconds; 0 answers at once'),
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
        limit: pageInput.shape.limit
          .unwrap()
          .optional()
          .describe('At most so many results; without this and without a cursor all of them'),
        cursor: pageInput.shape.cursor.describe('Where an earlier answer says that the results go on'),
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
        testSuite: z
          .string()
          .min(1)
          .optional()
          .describe('Id of a suite, or its name in the current workspace'),
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
        search: z.string().max(200).optional().describe('Part of the name of the test case'),
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
        results: z
          .enum(['all', 'new', 'none'])
          .default('all')
          .describe(
            'Which results come as events: those that are there and all further ones, the further ones, or none',
          ),
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

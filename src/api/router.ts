import { locate } from './locate.ts';
import { operations } from './operation.ts';
import {
  cancelTestRun,
  getTestRun,
  listTestRuns,
  reportTestRun,
  startTestRun,
  watchTestRun,
} from './test-runs.ts';

const { agents, testCases, testSuites, testRuns } = operations;

/** Every operation with what does it. Whatever a run does not need is loaded when it is first asked for. */
export const router = operations.router({
  apply: operations.apply.handler(async ({ context, input }) =>
    (await import('./apply.ts')).apply(context, input),
  ),
  read: operations.read.handler(async ({ context, input }) =>
    (await import('./read-object.ts')).readObject(context, input),
  ),
  export: operations.export.handler(async ({ context, input }) =>
    (await import('./export.ts')).exportObjects(context, input),
  ),
  agents: {
    list: agents.list.handler(async ({ context, input }) =>
      (await import('./agents.ts')).listAgents(context, input),
    ),
  },
  testCases: {
    list: testCases.list.handler(async ({ context, input }) =>
      (await import('./test-cases.ts')).listTestCases(context, input),
    ),
    get: testCases.get.handler(async ({ context, input }) =>
      (await import('./test-cases.ts')).getTestCase(await locate(context, 'test_case', input.id), input),
    ),
    create: testCases.create.handler(async ({ context, input }) =>
      (await import('./test-cases.ts')).createTestCase(context, input),
    ),
    update: testCases.update.handler(async ({ context, input }) =>
      (await import('./test-cases.ts')).updateTestCase(await locate(context, 'test_case', input.id), input),
    ),
  },
  testSuites: {
    list: testSuites.list.handler(async ({ context, input }) =>
      (await import('./test-suites.ts')).listTestSuites(context, input),
    ),
    get: testSuites.get.handler(async ({ context, input }) =>
      (await import('./test-suites.ts')).getTestSuite(await locate(context, 'test_suite', input.id), input),
    ),
    create: testSuites.create.handler(async ({ context, input }) =>
      (await import('./test-suites.ts')).createTestSuite(context, input),
    ),
    update: testSuites.update.handler(async ({ context, input }) =>
      (await import('./test-suites.ts')).updateTestSuite(
        await locate(context, 'test_suite', input.id),
        input,
      ),
    ),
  },
  testRuns: {
    start: testRuns.start.handler(async ({ context, input }) =>
      startTestRun(await locate(context, 'test_suite', input.testSuiteId), input),
    ),
    get: testRuns.get.handler(async ({ context, input }) =>
      getTestRun(await locate(context, 'test_run', input.testRunId), input),
    ),
    list: testRuns.list.handler(({ context, input }) => listTestRuns(context, input)),
    progress: testRuns.progress.handler(async ({ context, input, signal }) =>
      watchTestRun(
        await locate(context, 'test_run', input.testRunId),
        input,
        signal ?? new AbortController().signal,
      ),
    ),
    cancel: testRuns.cancel.handler(async ({ context, input }) =>
      cancelTestRun(await locate(context, 'test_run', input.testRunId), input),
    ),
    junit: testRuns.junit.handler(async ({ context, input }) =>
      reportTestRun(await locate(context, 'test_run', input.testRunId), input),
    ),
  },
});

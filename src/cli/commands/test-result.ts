import type { Run } from '../command.ts';
import { resultReport } from '../result-report.ts';

export interface TestResultOptions {
  junit?: boolean;
}

export const testResult: Run<TestResultOptions> = async ({ output, connect }, [testRunId], options) => {
  const { client } = await connect();
  const run = { testRunId: testRunId as string };
  if (options.junit === true) {
    const { text } = await client.testRuns.junit(run);
    output.result(null, () => text);
    return 0;
  }
  const result = await client.testRuns.get(run);
  output.result(result, () => resultReport(result, output.colors));
  return 0;
};

export const testCancel: Run<object> = async ({ output, connect }, [testRunId]) => {
  const { client } = await connect();
  const cancelled = await client.testRuns.cancel({ testRunId: testRunId as string });
  output.result(cancelled, () => `Run ${cancelled.id} is ${cancelled.status}.`);
  return 0;
};

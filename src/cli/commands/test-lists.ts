import type { CaseOutcome, RunStatus } from '../../contract/outcome.ts';
import type { ConversationResult, TestResult } from '../../contract/result.ts';
import { shown } from '../../contract/shown-text.ts';
import type { Run } from '../command.ts';
import { firstItems, noteMore } from '../every-page.ts';
import { caseReport, outcomeCell } from '../result-report.ts';
import { table } from '../table.ts';

export interface TestRunsOptions {
  suite?: string;
  status?: RunStatus;
  outcome?: CaseOutcome;
  limit: number;
}

export interface TestResultsOptions {
  outcome?: CaseOutcome;
  search?: string;
  limit?: number;
}

export const testRuns: Run<TestRunsOptions> = async ({ output, connect }, _args, options) => {
  const { suite, status, outcome, limit } = options;
  const narrowed = {
    ...(suite === undefined ? {} : { testSuite: suite }),
    ...(status === undefined ? {} : { status }),
    ...(outcome === undefined ? {} : { outcome }),
  };
  const { client } = await connect();
  const page = await firstItems((place) => client.testRuns.list({ ...narrowed, ...place }), limit);
  output.result(page, () =>
    table(
      ['STARTED', 'SUITE', 'STATUS', 'RESULT', 'PASSED', 'BY', 'ID'],
      page.items.map(({ createdAt, suite: of, status: now, outcome: ended, totals, startedBy, id }) => [
        createdAt,
        of.name,
        now,
        ended ?? '-',
        `${totals.passed} of ${totals.tests}`,
        startedBy,
        id,
      ]),
      (cell, row, column) =>
        column === 3 ? outcomeCell(cell, page.items[row]?.outcome, output.colors) : cell,
    ),
  );
  noteMore(output, page, limit);
  return 0;
};

export const testResults: Run<TestResultsOptions> = async ({ output, connect }, [run = ''], options) => {
  const { outcome, search, limit = Number.POSITIVE_INFINITY } = options;
  const narrowed = {
    testRunId: run,
    ...(outcome === undefined ? {} : { outcome }),
    ...(search === undefined ? {} : { search }),
  };
  const { client } = await connect();
  const page = await firstItems((place) => client.testRuns.results({ ...narrowed, ...place }), limit);
  output.result(page, () =>
    table(
      ['RESULT', 'CASE', 'VERSION', 'TIME', 'REASON', 'ID'],
      page.items.map(({ outcome: ended, status, testCase, agentVersion, durationMs, reason, id }) => [
        ended ?? status,
        testCase.name,
        agentVersion ?? '-',
        durationMs === null ? '-' : `${durationMs} ms`,
        reason,
        id,
      ]),
      (cell, row, column) =>
        column === 0 ? outcomeCell(cell, page.items[row]?.outcome, output.colors) : cell,
    ),
  );
  noteMore(output, page, limit);
  return 0;
};

export const caseResult: Run<object> = async ({ output, connect }, [testResultId = '']) => {
  const { client } = await connect();
  const result = await client.testRuns.result({ testResultId });
  output.result(result, () => [caseReport(result, output.colors), ...conversations(result)].join('\n'));
  return 0;
};

function conversations({ conversations: all }: TestResult): string[] {
  return all.flatMap((conversation) => ['', ...talk(conversation)]);
}

/** What was said, and the tools that were called. */
function talk({ agentVersion, messages, toolCalls }: ConversationResult): string[] {
  return [
    `Conversation with ${shown(agentVersion ?? 'no version yet')}`,
    ...messages.map(({ role, text }) => `  ${role}: ${shown(text)}`),
    ...toolCalls.map(
      ({ tool, args, isError, error }) =>
        `  called ${shown(tool)} ${shown(JSON.stringify(args))}${isError || error !== null ? ': an error' : ''}`,
    ),
  ];
}

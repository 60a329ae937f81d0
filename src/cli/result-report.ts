import type { CaseResult, RunResult, TestResult } from '../contract/result.ts';
import { shown } from '../contract/shown-text.ts';
import type { Output } from './output.ts';
import { table } from './table.ts';

type Colors = Output['colors'];

/** What needs a look comes first. */
const order = ['error', 'failed', 'unknown', 'pending', null, 'cancelled', 'passed'];

/** A result for people: a table of the cases, those that did not pass first, then why each of them did not, and what was
 *  not looked at in those that did. */
export function resultReport(run: RunResult, colors: Colors): string {
  const cases = run.results.toSorted(
    (left, right) => order.indexOf(left.outcome) - order.indexOf(right.outcome),
  );
  const results = table(
    ['RESULT', 'CASE', 'TIME', 'REASON'],
    cases.map((result) => [
      result.outcome ?? '-',
      result.testCase.name,
      result.durationMs === null ? '-' : `${result.durationMs} ms`,
      result.reason,
    ]),
    (cell, row, column) => (column === 0 ? outcomeCell(cell, cases[row]?.outcome, colors) : cell),
  );
  const accounts = cases.flatMap((result) => account(result, colors));
  return [results, ...(accounts.length === 0 ? [] : ['', ...accounts]), '', summary(run, colors)].join('\n');
}

/** The result of one case for people: one line, and the checks that did not hold. */
export function caseReport(result: TestResult, colors: Colors): string {
  const { testCase, testRun, status, outcome, reason, durationMs } = result;
  const time = durationMs === null ? '' : ` in ${durationMs} ms`;
  const why = reason === '' ? '' : `: ${shown(reason)}`;
  const line = `${shown(testCase.name)} in run ${testRun.id} of ${shown(testRun.suite.name)}: ${outcomeCell(outcome ?? status, outcome, colors)}${time}${why}`;
  return [line, ...account(result, colors).slice(1)].join('\n');
}

/** One line that says how the run ended. */
function summary(run: RunResult, colors: Colors): string {
  const { totals } = run;
  const counts = (['passed', 'failed', 'error', 'unknown', 'pending', 'cancelled'] as const)
    .filter((outcome) => totals[outcome] > 0)
    .map((outcome) => `${totals[outcome]} ${outcome}`)
    .join(', ');
  const end = run.outcome === null ? run.status : outcomeCell(run.outcome, run.outcome, colors);
  const time = run.durationMs === null ? '' : ` in ${(run.durationMs / 1000).toFixed(2)} s`;
  return `Run ${run.id} of ${shown(run.suite.name)}: ${end}. ${counts || 'No result yet'} of ${totals.tests}, success rate ${totals.successRate} %${time}.`;
}

/** The checks of a case that did not hold. Of a case that passed these were skipped: their name may be misspelt. */
function account(result: CaseResult, colors: Colors): string[] {
  const several = result.conversations.length > 1;
  const lines = result.conversations.flatMap((conversation) =>
    conversation.checks
      .filter(({ outcome }) => outcome !== 'passed')
      .flatMap((check) => [
        `  ${outcomeCell(check.outcome, check.outcome, colors)} ${check.type}${several ? ` (${conversation.run})` : ''}: ${shown(check.reason)}`,
        ...(result.outcome === 'passed'
          ? []
          : [`    expected: ${shown(check.expected)}`, `    actual:   ${shown(check.actual)}`]),
      ]),
  );
  return lines.length === 0 ? [] : [`${colors.bold(shown(result.testCase.name))}`, ...lines];
}

/** A text in the colour of an outcome; null and undefined have none. */
export function outcomeCell(text: string, outcome: string | null | undefined, colors: Colors): string {
  if (outcome === 'passed') return colors.green(text);
  if (outcome === 'failed' || outcome === 'error') return colors.red(text);
  if (outcome === 'unknown' || outcome === 'pending') return colors.yellow(text);
  return text;
}

import junit, { type Builder } from 'junit-report-builder';
import type { EvaluatedCheck } from '../core/check.ts';
import type { CaseOutcome } from '../core/verdict/outcome.ts';

/** A run as the report needs it; the result document of a run is one. Times in milliseconds. */
export interface ReportedRun {
  id: string;
  suite: { name: string };
  token: string;
  startedAt: string | null;
  durationMs: number | null;
  results: {
    testCase: { name: string };
    outcome: CaseOutcome | null;
    reason: string;
    durationMs: number | null;
    conversations: { run: string; checks: Pick<EvaluatedCheck, ReportedCheckField>[] }[];
  }[];
}
type ReportedCheckField = 'type' | 'outcome' | 'expected' | 'actual' | 'reason' | 'turn';
type ReportedCase = ReportedRun['results'][number];

// its types speak of a default export that the module does not have: the module is the builder
const builder = junit as unknown as Builder;

/** The run as JUnit XML: one `testsuite`, one `testcase` for each case. A failed case has a `failure`; one that could not
 *  be judged, was cancelled or has no result yet, an `error`. Nothing but a passed case is without one: CI systems that read
 *  this alone take `skipped` for green. */
export function junitReport(run: ReportedRun): string {
  const report = builder.newBuilder();
  const suite = report.testSuite().name(fit(run.suite.name));
  if (run.startedAt !== null) suite.timestamp(run.startedAt.slice(0, 19));
  if (run.durationMs !== null) suite.time(run.durationMs / 1000);
  suite.property('runId', run.id).property('token', run.token);
  for (const result of run.results) {
    const testCase = suite.testCase().className(fit(run.suite.name)).name(fit(result.testCase.name));
    if (result.durationMs !== null) testCase.time(result.durationMs / 1000);
    // the writer closes no more than one CDATA section in a text
    const content = fit(account(result)).replaceAll(']]>', ']] >');
    if (result.outcome === 'failed') {
      testCase.failure(fit(result.reason), 'failed').stacktrace(content);
    } else if (result.outcome !== 'passed') {
      testCase.error(
        fit(
          result.reason || (result.outcome === 'cancelled' ? 'It was cancelled.' : 'There is no result yet.'),
        ),
        result.outcome ?? 'unfinished',
        content,
      );
    }
  }
  return report.build();
}

/** Why the case did not pass: its reason, and each check that did not hold. */
function account(result: ReportedCase): string {
  const several = result.conversations.length > 1;
  const checks = result.conversations.flatMap(({ run, checks }) =>
    checks
      .filter(({ outcome }) => outcome !== 'passed')
      .map((check) =>
        [
          `${check.type}: ${check.outcome}${several ? ` in conversation ${run}` : ''}${
            check.turn === null ? '' : ` in turn ${check.turn + 1}`
          }`,
          `  expected: ${check.expected}`,
          `  actual: ${check.actual}`,
          `  reason: ${check.reason}`,
        ].join('\n'),
      ),
  );
  return [result.reason, ...checks].join('\n');
}

// What XML 1.0 cannot hold, and U+FFFD, which the writer would drop.
const unfit = /[\p{Cc}--[\t\n\r]]|[\uFFFD-\uFFFF]/gv;

/** Text of agents and tools as XML can hold it: a character that it cannot is written as its code. */
function fit(text: string): string {
  return text
    .toWellFormed()
    .replace(unfit, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

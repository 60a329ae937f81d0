import XMLBuilder from 'fast-xml-builder';
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

/** The run as JUnit XML: one `testsuite`, one `testcase` for each case. A failed case has a `failure`; one that could not
 *  be judged, was cancelled or has no result yet, an `error`. Nothing but a passed case is without one: CI systems that read
 *  this alone take `skipped` for green. */
export function junitReport(run: ReportedRun): string {
  const suiteName = fit(run.suite.name);
  const passed = run.results.filter(({ outcome }) => outcome === 'passed').length;
  const failed = run.results.filter(({ outcome }) => outcome === 'failed').length;
  const counts = {
    '@tests': run.results.length,
    '@failures': failed,
    '@errors': run.results.length - passed - failed,
    '@skipped': 0,
  };
  return writer.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      ...counts,
      testsuite: {
        '@name': suiteName,
        '@timestamp': run.startedAt?.slice(0, 19),
        '@time': seconds(run.durationMs),
        ...counts,
        properties: {
          property: [
            { '@name': 'runId', '@value': run.id },
            { '@name': 'token', '@value': run.token },
          ],
        },
        testcase: run.results.map((result) => ({
          '@classname': suiteName,
          '@name': fit(result.testCase.name),
          '@time': seconds(result.durationMs),
          ...problemOf(result),
        })),
      },
    },
  });
}

const seconds = (ms: number | null) => (ms === null ? undefined : ms / 1000);

function problemOf(result: ReportedCase) {
  const { outcome, reason } = result;
  if (outcome === 'passed') return {};
  const content = fit(account(result));
  if (outcome === 'failed') {
    return { failure: { '@message': fit(reason), '@type': 'failed', '#text': content } };
  }
  const message = reason || (outcome === 'cancelled' ? 'It was cancelled.' : 'There is no result yet.');
  return { error: { '@message': fit(message), '@type': outcome ?? 'unfinished', '#text': content } };
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

const writer = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  // else a case of the name "true" would have none
  suppressBooleanAttributes: false,
  // Its own way leaves white space in attributes as it is, and readers make a space of any. Quotes it writes by itself.
  processEntities: false,
  attributeValueProcessor: (_name, value) => escaped(String(value), /[&<\t\n\r]/g),
  tagValueProcessor: (_name, value) => escaped(String(value), /[&<>]/g),
});

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string, characters: RegExp): string {
  return text.replace(
    characters,
    (character) => named[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  );
}

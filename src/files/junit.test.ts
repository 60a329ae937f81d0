import { describe, expect, test } from 'vitest';
import { junitReport, type ReportedRun } from './junit.ts';

const check = {
  type: 'no_write_before',
  outcome: 'failed',
  expected: 'nothing changes before "list"',
  actual: 'write_file ran first',
  reason: 'The data-changing tool "write_file" ran before the first call of "list".',
  turn: null,
} as const;

function run(results: Partial<ReportedRun['results'][number]>[]): ReportedRun {
  return {
    id: 'run-1',
    suite: { name: 'files' },
    token: 'k3x9qa',
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 1234,
    results: results.map((result) => ({
      testCase: { name: 'a case' },
      outcome: 'passed',
      reason: '',
      durationMs: 250,
      conversations: [],
      ...result,
    })),
  };
}

describe('a JUnit report', () => {
  test('has one suite and one case for each result, with times in seconds', () => {
    const xml = junitReport(run([{}, { testCase: { name: 'another <case>' } }]));
    expect(xml).toContain(
      '<testsuite name="files" timestamp="2026-01-02T03:04:05" time="1.234" tests="2" failures="0"',
    );
    expect(xml).toContain('<testcase classname="files" name="a case" time="0.25"/>');
    expect(xml).toContain('name="another &lt;case>"');
  });

  test('says of a failed case what was expected, what happened and why', () => {
    const xml = junitReport(
      run([{ outcome: 'failed', reason: check.reason, conversations: [{ run: 'k3x9qa', checks: [check] }] }]),
    );
    expect(xml).toContain('failures="1" errors="0"');
    expect(xml).toMatch(/<failure message="The data-changing tool &quot;write_file&quot;[^>]*type="failed">/);
    expect(xml).toContain('expected: nothing changes before "list"');
    expect(xml).toContain('actual: write_file ran first');
  });

  test.each([
    ['error', 'error'],
    ['unknown', 'unknown'],
    ['pending', 'pending'],
    ['cancelled', 'cancelled'],
    [null, 'unfinished'],
  ] as const)('counts a case with outcome %s as an error', (outcome, type) => {
    const xml = junitReport(run([{ outcome, reason: 'why' }]));
    expect(xml).toContain('errors="1"');
    expect(xml).toContain(`<error message="why" type="${type}">`);
  });

  test.each([
    ['cancelled', 'It was cancelled.'],
    [null, 'There is no result yet.'],
  ] as const)('has words for outcome %s without a reason', (outcome, message) => {
    expect(junitReport(run([{ outcome }]))).toContain(`<error message="${message}"`);
  });

  test('names conversation and turn of a check where there are several', () => {
    const checks = [{ ...check, turn: 1 }];
    const xml = junitReport(
      run([
        {
          outcome: 'failed',
          conversations: [
            { run: 'k3x9qa', checks: [] },
            { run: 'k3x9qa-2', checks },
          ],
        },
      ]),
    );
    expect(xml).toContain('no_write_before: failed in conversation k3x9qa-2 in turn 2');
  });

  test('keeps the name of a case that is called "true", and the lines of a reason', () => {
    const xml = junitReport(
      run([{ testCase: { name: 'true' }, outcome: 'failed', reason: 'first\r\n\tsecond' }]),
    );
    expect(xml).toContain('name="true"');
    expect(xml).toContain('message="first&#xD;&#xA;&#x9;second"');
  });

  test('stays well-formed whatever an agent wrote', () => {
    const nasty = 'a\0b\u001b[31m <&>" ]]> ]]> \ud800 \uffff \ufffe \ufffd end';
    const xml = junitReport(
      run([
        {
          testCase: { name: nasty },
          outcome: 'failed',
          reason: nasty,
          conversations: [{ run: 'x', checks: [{ ...check, actual: nasty }] }],
        },
        { outcome: 'error', reason: nasty },
      ]),
    );
    expect(xml).toContain('a\\u0000b\\u001b[31m');
    expect(xml).toContain('name="a\\u0000b');
    expectWellFormed(xml);
  });
});

/** Without its CDATA sections it is tags and text, and holds no character that XML forbids. */
function expectWellFormed(xml: string) {
  expect(xml).toBe(xml.toWellFormed());
  expect(xml).not.toMatch(/[\p{Cc}--[\t\n\r]]|[\uFFFE\uFFFF]/v);
  const outside = xml.replace(/<!\[CDATA\[.*?\]\]>/gs, '');
  const text = outside.replace(/<[^<>"]*("[^"<]*"[^<>"]*)*>/g, '');
  expect(text).not.toMatch(/[<>]/);
  expect(outside).not.toMatch(/&(?!(lt|gt|amp|quot|apos|#x[0-9A-F]+);)/);
}

import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { RunResult } from '../contract/result.ts';
import { resultReport } from './result-report.ts';

test('a check that was skipped is told also where the case passed', () => {
  const check = { expected: 'the tool is called', actual: 'it is not offered' };
  const checks = [
    { ...check, type: 'tool_called', outcome: 'passed', reason: '' },
    { ...check, type: 'tool_not_called', outcome: 'skipped', reason: 'No tool "wriet" is offered.' },
  ];
  const run = {
    id: 'run-1',
    status: 'finished',
    outcome: 'passed',
    suite: { name: 'files' },
    totals: { tests: 1, passed: 1, successRate: 100 },
    durationMs: 10,
    results: [
      {
        testCase: { name: 'writes nothing' },
        outcome: 'passed',
        reason: '',
        durationMs: 10,
        conversations: [{ run: 'k3x9qa', checks }],
      },
    ],
  } as unknown as RunResult;
  const lines = resultReport(run, pc.createColors(false)).split('\n');
  expect(lines.slice(2, -2)).toEqual([
    '',
    'writes nothing',
    '  skipped tool_not_called: No tool "wriet" is offered.',
  ]);
});

import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { exitCodeFromRate, exitCodes, runExitCode } from './exit-code.ts';
import { caseOutcomes, runStatuses } from './outcome.ts';

describe('the exit code of a run', () => {
  test.each([
    ['passed', 0],
    ['failed', 1],
    ['error', 2],
    ['unknown', 2],
  ] as const)(verifies('that finished as %s is %i', 'M8'), (outcome, code) => {
    expect(runExitCode({ status: 'finished', outcome })).toBe(code);
  });

  test(verifies('that was cancelled is 130', 'M8'), () => {
    expect(runExitCode({ status: 'cancelled', outcome: 'cancelled' })).toBe(130);
    expect(runExitCode({ status: 'cancelled', outcome: 'passed' })).toBe(130);
  });

  test('is 0 for nothing but a finished run that passed', () => {
    for (const status of runStatuses) {
      for (const outcome of [...caseOutcomes, null]) {
        const code = runExitCode({ status, outcome });
        expect(code === 0).toBe(status === 'finished' && outcome === 'passed');
      }
    }
    expect(exitCodes.usage).toBe(64);
  });
});

describe('the exit code from a success rate on', () => {
  const code = (
    [passed, tests, cancelled = 0]: [passed: number, tests: number, cancelled?: number],
    rate: number,
    outcome: 'passed' | 'failed' | 'error' | 'unknown' = 'failed',
  ) => exitCodeFromRate({ status: 'finished', outcome, totals: { tests, passed, cancelled } }, rate);

  test('is 0 where the share of passed cases is at least the rate, however close it comes', () => {
    expect(code([20_000, 20_001], 100)).toBe(1);
    expect(code([20_000, 20_001], 99.995)).toBe(0);
    expect(code([20_000, 20_001], 99.995001)).toBe(1);
    expect(code([2, 3], 66.67)).toBe(1);
    expect(code([2, 3], 66.666666)).toBe(0);
    expect(code([0, 1], 0)).toBe(0);
  });

  test('reaches every rate that stands for a whole number of cases', () => {
    for (let passed = 0; passed < 1000; passed++) {
      expect(code([passed, 1000], Number((passed / 10).toFixed(1)))).toBe(0);
      expect(code([passed, 1000], Number((passed / 10 + 0.01).toFixed(2)))).toBe(1);
    }
  });

  test('leaves out what was cancelled', () => {
    expect(code([9, 12, 2], 90)).toBe(0);
    expect(code([9, 12, 1], 90)).toBe(1);
  });

  test('lets nothing pass but failed cases', () => {
    expect(code([1, 2], 0, 'error')).toBe(2);
    expect(code([1, 2], 0, 'unknown')).toBe(2);
    expect(code([2, 2], 100, 'passed')).toBe(0);
    const totals = { tests: 2, passed: 1, cancelled: 0 };
    expect(exitCodeFromRate({ status: 'cancelled', outcome: 'failed', totals }, 0)).toBe(130);
    expect(exitCodeFromRate({ status: 'running', outcome: null, totals }, 0)).toBe(2);
  });
});

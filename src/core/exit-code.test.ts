import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { exitCodes, runExitCode } from './exit-code.ts';
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

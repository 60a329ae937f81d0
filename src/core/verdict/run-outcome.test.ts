import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { type CaseOutcome, caseOutcomes } from './outcome.ts';
import { runOutcome } from './run-outcome.ts';
import { countTotals } from './totals.ts';

function outcomeOf(outcomes: (CaseOutcome | null)[], cancelled = false) {
  const counts = Object.fromEntries(
    caseOutcomes.map((outcome) => [outcome, outcomes.filter((each) => each === outcome).length]),
  );
  return runOutcome(countTotals(outcomes.length, counts, { count: 0, sumMs: 0 }), cancelled);
}

describe('the outcome of a run', () => {
  test.each<[CaseOutcome[], CaseOutcome]>([
    [['passed', 'passed'], 'passed'],
    [['passed', 'failed'], 'failed'],
    [['failed', 'unknown', 'passed'], 'unknown'],
    [['failed', 'error', 'passed'], 'error'],
    [['unknown', 'error', 'failed'], 'error'],
    [['passed', 'cancelled'], 'cancelled'],
    [['failed', 'cancelled'], 'failed'],
  ])(verifies('of cases that ended as %j is %s', 'O2'), (outcomes, expected) => {
    expect(outcomeOf(outcomes)).toBe(expected);
    expect(outcomeOf([...outcomes].reverse())).toBe(expected);
  });

  test(verifies('is cancelled if it was cancelled, whatever the cases say', 'O2'), () => {
    expect(outcomeOf(['passed', 'error', null], true)).toBe('cancelled');
    expect(outcomeOf([], true)).toBe('cancelled');
  });

  test('is not known while a result is missing or pending', () => {
    expect(outcomeOf(['passed', null])).toBeNull();
    expect(outcomeOf(['error', 'pending'])).toBeNull();
    expect(outcomeOf([null])).toBeNull();
  });

  test('is an error for a run without cases, because nothing was judged', () => {
    expect(outcomeOf([])).toBe('error');
  });
});

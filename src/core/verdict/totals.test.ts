import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { countTotals, totals } from './totals.ts';

const none = { count: 0, sumMs: 0 };

describe('totals', () => {
  test(verifies('count the cases by outcome with the rate of success and the average latency', 'K52'), () => {
    const counted = countTotals(
      9,
      { passed: 2, failed: 1, pending: 1, unknown: 1, error: 1, cancelled: 2 },
      { count: 6, sumMs: 100 },
    );
    expect(counted).toEqual({
      tests: 9,
      passed: 2,
      failed: 1,
      unknown: 1,
      error: 1,
      pending: 1,
      cancelled: 2,
      successRate: 28.57,
      averageLatencyMs: 16.67,
    });
    expect(totals.parse(counted)).toEqual(counted);
  });

  test.each([
    [3, { passed: 2, failed: 1 }, 66.67],
    [3, { passed: 3 }, 100],
    [3, { failed: 3 }, 0],
    [3, { passed: 1, cancelled: 2 }, 100],
    [3, { cancelled: 3 }, 0],
    [0, {}, 0],
    [7, { passed: 1 }, 14.29],
  ])(verifies('of %i cases with %j have the success rate %d', 'K52'), (tests, counts, rate) => {
    expect(countTotals(tests, counts, none).successRate).toBe(rate);
  });

  test('have no average where nothing took any time', () => {
    expect(countTotals(1, { passed: 1 }, none).averageLatencyMs).toBeNull();
  });
});

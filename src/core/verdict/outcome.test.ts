import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { caseOutcomes, worst } from './outcome.ts';

test(verifies('the worst outcome is error, then failed, unknown, pending, passed', 'O2'), () => {
  const order = ['error', 'failed', 'unknown', 'pending', 'cancelled', 'passed'] as const;
  for (const [index, outcome] of order.entries()) {
    expect(worst([...order.slice(index)].reverse())).toBe(outcome);
  }
  expect([...order].sort()).toEqual([...caseOutcomes].sort());
  expect(worst([])).toBeNull();
});

test('the worst outcome is one of them, in whatever order they come, and more never make it better', () => {
  const outcomes = fc.array(fc.constantFrom(...caseOutcomes), { minLength: 1 });
  fc.assert(
    fc.property(outcomes, outcomes, (some, more) => {
      const of = worst(some);
      expect(some).toContain(of);
      expect(worst([...some].reverse())).toBe(of);
      expect([of, worst(more)]).toContain(worst([...some, ...more]));
      if (of !== 'passed') expect(worst([...some, ...more])).not.toBe('passed');
    }),
  );
});

import { z } from 'zod';
import { type CaseOutcome, caseOutcomes } from './outcome.ts';

/** Counts of the cases of a run. Cases without a result yet count as tests and nothing else. */
export const totals = z.object({
  tests: z.int(),
  passed: z.int(),
  failed: z.int(),
  unknown: z.int(),
  error: z.int(),
  pending: z.int(),
  cancelled: z.int(),
  /** 100 · passed / tests without the cancelled ones, two decimals; 0 where there are none. */
  successRate: z.number(),
  /** Of the cases that took any time and were not cancelled, two decimals; null where there are none. */
  averageLatencyMs: z.number().nullable(),
});
export type Totals = z.infer<typeof totals>;

/** Totals from how many cases have each outcome and how long the cases took together, so that no caller has to hold
 *  the results of a big run. `latency` leaves out the cancelled ones. */
export function countTotals(
  tests: number,
  counts: { readonly [outcome in CaseOutcome]?: number },
  latency: { count: number; sumMs: number },
): Totals {
  const judged = tests - (counts.cancelled ?? 0);
  return {
    tests,
    ...(Object.fromEntries(caseOutcomes.map((outcome) => [outcome, counts[outcome] ?? 0])) as Record<
      CaseOutcome,
      number
    >),
    successRate: judged === 0 ? 0 : twoDecimals((100 * (counts.passed ?? 0)) / judged),
    averageLatencyMs: latency.count === 0 ? null : twoDecimals(latency.sumMs / latency.count),
  };
}

function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

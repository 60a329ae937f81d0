import { type CaseOutcome, caseOutcomes, worst } from './outcome.ts';
import type { Totals } from './totals.ts';

/** What could not be judged outweighs what failed: a run with such a result was, as a whole, not judged. */
const runPrecedence = ['error', 'unknown', 'failed', 'cancelled', 'passed'] as const;

/** The outcome of a run. null while it is not finished: a result is missing or pending, and nobody cancelled the run. */
export function runOutcome(
  totals: Pick<Totals, CaseOutcome | 'tests'>,
  cancelled: boolean,
): CaseOutcome | null {
  if (cancelled) return 'cancelled';
  const present = caseOutcomes.filter((outcome) => outcome !== 'pending' && totals[outcome] > 0);
  const settled = present.reduce((sum, outcome) => sum + totals[outcome], 0);
  if (settled < totals.tests) return null;
  // A run without any result judged nothing.
  return worst(present, runPrecedence) ?? 'error';
}

/** Outcomes of a conversation, a case and a run. */
export const caseOutcomes = ['passed', 'failed', 'unknown', 'error', 'pending', 'cancelled'] as const;
export type CaseOutcome = (typeof caseOutcomes)[number];

export const checkOutcomes = ['passed', 'failed', 'skipped', 'pending', 'error'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

export const runStatuses = ['queued', 'running', 'judging', 'finished', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** How findings add up to a conversation, and conversations to a case. A cancelled conversation never lets its case
 *  pass, and hides nothing that the others found. */
const casePrecedence = ['error', 'failed', 'unknown', 'pending', 'cancelled', 'passed'] as const;

/** The outcome that decides; null where there is none at all. */
export function worst(
  outcomes: Iterable<CaseOutcome>,
  precedence: readonly CaseOutcome[] = casePrecedence,
): CaseOutcome | null {
  const present = new Set(outcomes);
  return precedence.find((outcome) => present.has(outcome)) ?? null;
}

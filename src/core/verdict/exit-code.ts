import type { CaseOutcome, RunStatus } from './outcome.ts';
import type { Totals } from './totals.ts';

/** Exit codes of the command line. */
export const exitCodes = {
  passed: 0,
  failed: 1,
  /** Error, unknown, or not judged to the end. */
  notJudged: 2,
  usage: 64,
  cancelled: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code that reports how a run ended. Only a finished run that passed gives 0. */
export function runExitCode(run: { status: RunStatus; outcome: CaseOutcome | null }): ExitCode {
  if (run.status === 'cancelled' || run.outcome === 'cancelled') return exitCodes.cancelled;
  if (run.status !== 'finished') return exitCodes.notJudged;
  if (run.outcome === 'passed') return exitCodes.passed;
  return run.outcome === 'failed' ? exitCodes.failed : exitCodes.notJudged;
}

/** The same where failed cases may pass from a success rate on: percent of the cases that were not cancelled, up to six
 *  decimals. Compares the counts, as the rate of the totals is rounded. Only failed cases are let pass: what was not
 *  judged is no success. */
export function exitCodeFromRate(
  run: {
    status: RunStatus;
    outcome: CaseOutcome | null;
    totals: Pick<Totals, 'tests' | 'passed' | 'cancelled'>;
  },
  minSuccessRate: number,
): ExitCode {
  const code = runExitCode(run);
  if (code !== exitCodes.failed) return code;
  const { tests, passed, cancelled } = run.totals;
  // whole numbers, as 0.07 · 100 is more than 7 in floating point
  const millionths = Math.round(minSuccessRate * 1e6);
  return 1e8 * passed >= millionths * (tests - cancelled) ? exitCodes.passed : code;
}

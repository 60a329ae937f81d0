import type { CaseOutcome, RunStatus } from './outcome.ts';

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

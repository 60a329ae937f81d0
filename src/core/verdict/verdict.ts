import type { EvaluatedCheck } from '../check.ts';
import type { TestCaseDefinition } from '../documents/test-case.ts';
import { type Reason, reason } from '../reasons.ts';
import type { TraceEvent } from '../trace.ts';
import { readTrace } from '../trace-view.ts';
import { evaluateChecks, missingEvents, turnCount, unsentTurn } from './execution-checks.ts';
import { type CaseOutcome, worst } from './outcome.ts';

/** An outcome and why; the reason is empty only where it passed. */
export interface Verdict extends Reason {
  outcome: CaseOutcome;
}

export interface ExecutionVerdict extends Verdict {
  /** The checks of the case, then those of its golden turns, each in the order of the definition. */
  checks: EvaluatedCheck[];
  /** What the AI evaluator found; null where the case states no expectation. */
  evaluator: EvaluatorFinding | null;
}

interface EvaluatorFinding extends Verdict {
  outcome: Exclude<CaseOutcome, 'cancelled'>;
}

/** Whether a judge model is there to evaluate expectations. */
export type EvaluatorSetting = 'not_configured';

/** Judges one execution. `events`: its whole trace in order of seq. `definition`: the case with `{{run}}` filled in.
 *  A technical failure, an execution without its end and an incomplete trace are `error` even if every check holds; so
 *  is a case in which nothing judges. Else error > failed > unknown > pending > passed, and skipped checks say nothing. */
export function judgeExecution(
  events: readonly TraceEvent[],
  definition: TestCaseDefinition,
  evaluator: EvaluatorSetting,
): ExecutionVerdict {
  const checks = evaluateChecks(events, definition);
  const expectation = statesExpectation(definition) ? evaluateExpectation(evaluator) : null;
  const problem = technicalProblem(events, definition);
  const verdict = problem === null ? decide(checks, expectation) : { outcome: 'error' as const, ...problem };
  return { ...verdict, checks, evaluator: expectation };
}

/** Why the execution proves nothing, whatever its checks say; null where it ran to its end. */
function technicalProblem(events: readonly TraceEvent[], definition: TestCaseDefinition): Reason | null {
  const trace = readTrace(events);
  const [failure] = trace.failures;
  if (failure !== undefined) {
    return reason('execution_failure', { ...failure, message: failure.message.trim() || 'no message' });
  }
  if (trace.started === null) return reason('trace_without_start', {});
  const missing = missingEvents(events);
  if (missing !== null) return missing;
  if (trace.finished === null) return reason('execution_unfinished', {});
  if (trace.finished.status === 'aborted') return reason('execution_aborted', {});
  if (trace.finished.status === 'failed') return reason('execution_failed', {});
  return unsentTurn(trace, definition, turnCount(definition) - 1);
}

function statesExpectation({ expectedResult, conversation }: TestCaseDefinition): boolean {
  return (
    expectedResult !== undefined ||
    (conversation.type === 'golden' && conversation.turns.some((turn) => turn.expected !== undefined))
  );
}

function evaluateExpectation(setting: EvaluatorSetting): EvaluatorFinding {
  switch (setting) {
    case 'not_configured':
      return { outcome: 'unknown', ...reason('judge_not_configured', {}) };
  }
}

function decide(checks: readonly EvaluatedCheck[], expectation: Verdict | null): Verdict {
  const findings: Verdict[] = checks.flatMap(({ outcome, ...check }) =>
    outcome === 'skipped' ? [] : [{ ...check, outcome }],
  );
  if (expectation !== null) findings.push(expectation);
  return (
    decisive(findings) ?? {
      outcome: 'error',
      ...(checks.length > 0 ? reason('all_checks_skipped', {}) : reason('nothing_judges', {})),
    }
  );
}

/** The outcome that decides, with the reason of the first finding that has it; null where nothing was found. */
export function decisive(findings: readonly Verdict[]): Verdict | null {
  const outcome = worst(findings.map((finding) => finding.outcome));
  const finding = findings.find((each) => each.outcome === outcome);
  if (finding === undefined) return null;
  const { reason, reasonCode, reasonParams } = finding;
  return { outcome: finding.outcome, reason, reasonCode, reasonParams };
}

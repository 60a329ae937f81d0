import type { CaseOutcome } from '../core/verdict/outcome.ts';

/** The verdict on an execution that just ended; append-only. */
export interface EvaluationRow {
  evaluationId: string;
  outcome: CaseOutcome;
  reason: string;
  reasonCode: string;
  /** JSON texts, kept as they are. */
  reasonParams: string;
  checks: string;
  evaluator: string | null;
}

export const evaluationColumns = `"evaluationId" uuid, outcome text, reason text, "reasonCode" text,
  "reasonParams" text, checks text, evaluator text`;

/** Writes the verdicts of the rows of `held` that have one; one that is there already stays. */
export const writeEvaluations = `
  insert into evaluation (workspace_id, id, execution_id, cause, outcome, reason, reason_code, reason_params,
    checks, evaluator)
  select workspace_id, "evaluationId", id, 'run', outcome, reason, "reasonCode", "reasonParams"::json,
    checks::json, evaluator::json
  from held
  where "evaluationId" is not null
  on conflict do nothing`;

import type { CaseOutcome } from '../core/outcome.ts';

/** A verdict on an execution; append-only. */
export interface EvaluationRow {
  workspaceId: string;
  id: string;
  executionId: string;
  /** Of the case; decides whether the writer may still write. */
  resultId: string;
  cause: 'run' | 'enrichment' | 'rescore' | 'human';
  outcome: CaseOutcome;
  reason: string;
  reasonCode: string;
  /** JSON texts, kept as they are. */
  reasonParams: string;
  checks: string;
  evaluator: string | null;
}

/** Writes the evaluations in `parameter` (JSON) whose case is among `fence`; one that is there already stays. */
export const writeEvaluations = (parameter: string) => `
  insert into evaluation (workspace_id, id, execution_id, cause, outcome, reason, reason_code, reason_params,
    checks, evaluator)
  select v."workspaceId", v.id, v."executionId", v.cause, v.outcome, v.reason, v."reasonCode",
    v."reasonParams"::json, v.checks::json, v.evaluator::json
  from json_to_recordset(${parameter}::json) as v("workspaceId" uuid, id uuid, "executionId" uuid,
    "resultId" uuid, cause text, outcome text, reason text, "reasonCode" text, "reasonParams" text, checks text,
    evaluator text)
  join fence on fence.workspace_id = v."workspaceId" and fence.id = v."resultId"
  on conflict do nothing`;

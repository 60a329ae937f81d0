import type { EndReason, ExecutionKind, ExecutionStatus } from '../core/trace.ts';

/** One conversation or workflow run of a case, as it is recorded: first while it runs, then with its end. */
export interface ExecutionRow {
  id: string;
  resultId: string;
  /** Counts the conversations of the case from 1, those of earlier attempts included. */
  ordinal: number;
  kind: ExecutionKind;
  /** What `{{run}}` stood for. */
  runText: string;
  contentHash: string;
  agentVersionId: string;
  agentVersion: string;
  model: string;
  status: ExecutionStatus | 'running';
  endReason: EndReason | null;
  inputTokens: number;
  outputTokens: number;
  /** null where any part of it is not known. */
  costUsd: number | null;
  startedAt: string;
  finishedAt: string | null;
  durationMs: number | null;
}

export const executionColumns = `id uuid, "resultId" uuid, ordinal int, kind text, "runText" text,
  "contentHash" text, "agentVersionId" uuid, "agentVersion" text, model text, status text, "endReason" text,
  "inputTokens" bigint, "outputTokens" bigint, "costUsd" double precision, "startedAt" timestamptz,
  "finishedAt" timestamptz, "durationMs" int`;

/** Writes rows of `held`; one that is there already gets its end. */
export const writeExecutions = `
  insert into execution (workspace_id, id, result_id, attempt, ordinal, kind, run_text, content_hash,
    agent_version_id, agent_version, model, status, end_reason, input_tokens, output_tokens, cost_usd,
    started_at, finished_at, duration_ms, evaluation_id)
  select workspace_id, id, "resultId", attempt, ordinal, kind, "runText", "contentHash", "agentVersionId",
    "agentVersion", model, status, "endReason", "inputTokens", "outputTokens", "costUsd", "startedAt",
    "finishedAt", "durationMs", "evaluationId"
  from held
  on conflict (workspace_id, id) do update set status = excluded.status, end_reason = excluded.end_reason,
    input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd,
    finished_at = excluded.finished_at, duration_ms = excluded.duration_ms,
    evaluation_id = excluded.evaluation_id`;

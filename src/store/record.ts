import type pg from 'pg';
import type { CaseOutcome } from '../core/outcome.ts';
import { type EvaluationRow, writeEvaluations } from './evaluation.ts';
import { type ExecutionRow, writeExecutions } from './execution.ts';
import { type RunKey, runChannel } from './test-run.ts';
import { type TraceBatchRow, writeTraceBatches } from './trace.ts';

/** What is to be written of one attempt at a case. */
export interface CaseRecord {
  workspaceId: string;
  /** Of the result. */
  id: string;
  attempt: number;
  executions: ExecutionRow[];
  batches: TraceBatchRow[];
  evaluations: EvaluationRow[];
  /** null: the case goes on, or was given up. */
  result: CaseEnd | null;
}

export interface CaseEnd {
  outcome: CaseOutcome;
  reason: string;
  startedAt: string;
  finishedAt: string;
  durationMs: number;
}

/** What became of it. A case that is missing here was refused: somebody else has it, or its result is there already. */
export interface Recorded {
  /** `live`: false where the run was cancelled, so that the trace was taken and a result was not. */
  cases: Map<string, { live: boolean }>;
  /** Runs that got their last result. */
  complete: RunKey[];
}

/** Writes many cases in one statement, each only while this attempt of this worker has it. */
export async function recordCases(
  pool: pg.Pool,
  workerId: string,
  records: readonly CaseRecord[],
): Promise<Recorded> {
  const ends = records.map(({ workspaceId, id, attempt, result }) => ({
    workspaceId,
    id,
    attempt,
    ...result,
  }));
  const { rows } = await pool.query<{
    cases: { id: string; live: boolean }[] | null;
    complete: RunKey[] | null;
  }>({
    name: 'record-cases',
    text: statement,
    values: [
      workerId,
      JSON.stringify(ends),
      JSON.stringify(records.flatMap(({ executions }) => executions)),
      JSON.stringify(records.flatMap(({ batches }) => batches)),
      JSON.stringify(records.flatMap(({ evaluations }) => evaluations)),
      runChannel,
    ],
  });
  const { cases, complete } = rows[0] ?? {};
  return {
    cases: new Map(cases?.map(({ id, live }) => [id, { live }])),
    complete: complete ?? [],
  };
}

// A cancelled run has its results already; what its cases were doing still belongs to their traces.
const statement = `
with given as materialized (
  select * from json_to_recordset($2::json) as g("workspaceId" uuid, id uuid, attempt int, outcome text,
    reason text, "startedAt" timestamptz, "finishedAt" timestamptz, "durationMs" int)),
fence as materialized (
  select r.workspace_id, r.id, r.run_id, r.status = 'running' as live
  from given g join test_result r on r.workspace_id = g."workspaceId" and r.id = g.id
  where r.attempt = g.attempt and r.worker = $1 and (r.status = 'running' or r.outcome = 'cancelled')
  order by r.id for update of r),
executions as (${writeExecutions('$3')}),
batches as (${writeTraceBatches('$4')}),
evaluations as (${writeEvaluations('$5')}),
results as (
  update test_result r set status = 'done', outcome = g.outcome, reason = g.reason,
    started_at = g."startedAt", finished_at = g."finishedAt", duration_ms = g."durationMs"
  from fence join given g on g."workspaceId" = fence.workspace_id and g.id = fence.id
  where r.workspace_id = fence.workspace_id and r.id = fence.id and fence.live and g.outcome is not null
  returning r.workspace_id, r.run_id),
counted as (
  update test_run r set remaining = r.remaining - done.cases
  from (select workspace_id, run_id, count(*)::int as cases from results group by 1, 2) done
  where r.workspace_id = done.workspace_id and r.id = done.run_id
  returning r.workspace_id, r.id, r.remaining),
told as (
  select pg_notify($6, run_id::text) from (select distinct run_id from fence) runs)
select
  (select json_agg(json_build_object('id', id, 'live', live)) from fence) as cases,
  (select json_agg(json_build_object('workspaceId', workspace_id, 'runId', id))
   from counted where remaining = 0) as complete,
  (select count(*) from told)`;

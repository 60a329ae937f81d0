import type pg from 'pg';
import type { CaseOutcome } from '../core/verdict/outcome.ts';
import { type EvaluationRow, evaluationColumns, writeEvaluations } from './evaluation.ts';
import { type ExecutionRow, executionColumns, writeExecutions } from './execution.ts';
import { type RunKey, runChannel } from './test-run.ts';
import { packBatches, type TraceBatch, writeTraceBatches } from './trace.ts';

/** What is to be written of one attempt at a case. */
export interface CaseRecord {
  workspaceId: string;
  /** Of the result. */
  id: string;
  attempt: number;
  /** With their verdicts where they have ended. */
  executions: (ExecutionRow & Partial<EvaluationRow>)[];
  batches: TraceBatch[];
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

export interface Recorded {
  /** By id of the result: true where everything was written, false where the run was cancelled, so that the trace was
   *  taken and the result was not. A case that is missing was refused: somebody else has it, or it has its result. */
  live: Map<string, boolean>;
  /** Runs that got their last result. */
  complete: RunKey[];
}

/** Writes many cases in one statement, each only while this attempt of this worker has it. */
export async function recordCases(
  pool: pg.Pool,
  workerId: string,
  records: readonly CaseRecord[],
): Promise<Recorded> {
  const { rows, text } = packBatches(records.flatMap(({ batches }) => batches));
  const ends = records.map(({ workspaceId, id, attempt, result }) => ({
    workspaceId,
    id,
    attempt,
    ...result,
  }));
  const answer = await pool.query<{
    cases: { id: string; live: boolean }[] | null;
    complete: RunKey[] | null;
  }>({
    name: 'record-cases',
    text: statement,
    values: [
      workerId,
      JSON.stringify(ends),
      JSON.stringify(records.flatMap(({ executions }) => executions)),
      rows,
      text,
      runChannel,
    ],
  });
  const { cases, complete } = answer.rows[0] as (typeof answer.rows)[number];
  return { live: new Map(cases?.map((each) => [each.id, each.live])), complete: complete ?? [] };
}

// A cancelled run has its results already; what its cases were doing still belongs to their traces.
// `lateral` and arrays of keys keep the planner from joining with all of a table: its plan is made once per connection,
// perhaps when the table was small. Rows that are locked here are found again by their key alone: their place (ctid) is
// another one, which this statement cannot see, where somebody else has written them since it began.
// Whoever holds the row of a run counts its results on: what is recorded later has a greater number, and is seen later.
// What was locked and yet not written breaks the whole statement off, so that nothing of it stays: then the answer is no
// boolean but says what happened.
const statement = `
with given as materialized (
  select * from json_to_recordset($2::json) as g("workspaceId" uuid, id uuid, attempt int, outcome text,
    reason text, "startedAt" timestamptz, "finishedAt" timestamptz, "durationMs" int)
  order by id),
fence as materialized (
  select r.workspace_id, r.id, r.attempt, r.run_id, r.live, g.outcome is not null as ends
  from given g cross join lateral (
    select t.workspace_id, t.id, t.attempt, t.run_id, t.status = 'running' as live
    from test_result t
    where t.workspace_id = g."workspaceId" and t.id = g.id and t.attempt = g.attempt and t.worker = $1
      and (t.status = 'running' or t.outcome = 'cancelled')
    for update) r),
held as materialized (
  select fence.workspace_id, fence.attempt, e.*
  from json_to_recordset($3::json) as e(${executionColumns}, ${evaluationColumns})
  join fence on fence.id = e."resultId"),
executions as (${writeExecutions}),
evaluations as (${writeEvaluations}),
batches as (${writeTraceBatches('$4', '$5')}),
runs as materialized (
  select r.workspace_id, r.id, r.recorded, ending.cases
  from (
    select workspace_id, run_id, count(*)::int as cases from fence where live and ends group by 1, 2 order by 2) ending
  cross join lateral (
    select t.workspace_id, t.id, t.total - t.remaining + ending.cases as recorded from test_run t
    where t.workspace_id = ending.workspace_id and t.id = ending.run_id for update) r),
results as (
  update test_result r set status = 'done', outcome = g.outcome, reason = g.reason,
    started_at = g."startedAt", finished_at = g."finishedAt", duration_ms = g."durationMs",
    recorded = (array(select recorded from runs order by id))[
      array_position(array(select id from runs order by id), r.run_id)]
  from given g
  where r.workspace_id = any (array(select distinct workspace_id from fence where live and ends))
    and r.id = any (array(select id from fence where live and ends))
    and r.workspace_id = g."workspaceId" and r.id = g.id
  returning r.workspace_id, r.run_id),
counted as (
  update test_run r set remaining = r.remaining - runs.cases
  from runs
  where r.workspace_id = any (array(select workspace_id from runs)) and r.id = any (array(select id from runs))
    and r.workspace_id = runs.workspace_id and r.id = runs.id
  returning r.workspace_id, r.id, r.remaining),
told as (
  select pg_notify($6, run_id::text) from (select distinct run_id from fence) runs)
select
  (select json_agg(json_build_object('id', id, 'live', live)) from fence) as cases,
  (select json_agg(json_build_object('workspaceId', workspace_id, 'runId', id))
   from counted where remaining = 0) as complete,
  (select count(*) from told),
  (select case when ended = written and ran = counted then true
     else format('%s results and %s runs were locked, %s and %s written', ended, ran, written, counted)::boolean end
   from (select
     (select count(*) from fence where live and ends) as ended, (select count(*) from results) as written,
     (select count(distinct (workspace_id, run_id)) from results) as ran,
     (select count(*) from counted) as counted) sums) as whole`;

import { sql } from 'kysely';
import type { TraceEvent } from '../core/trace.ts';
import type { CaseOutcome } from '../core/verdict/outcome.ts';
import type { WorkspaceTransaction } from './database.ts';
import { storableText } from './storable-text.ts';
import type { RunKey } from './test-run.ts';

/** Some of the results of a run, or some results wherever they belong. */
export type Results = RunKey | { workspaceId: string; resultIds: readonly string[] };

/** Which results of a run are read. */
export interface ResultPart {
  /** Those behind this place in the order of the suite. */
  afterSeq: number;
  limit: number;
  outcome?: CaseOutcome | undefined;
  /** Part of the name of the case, whatever its case. */
  search?: string | undefined;
}

/** The results of a run in the order of its suite, all of them or a part. */
export function readResults(
  transaction: WorkspaceTransaction,
  { workspaceId, runId }: RunKey,
  part?: ResultPart,
) {
  return resultRows(transaction, workspaceId)
    .where('run_id', '=', runId)
    .$if(part !== undefined, (query) => query.where('seq', '>', part?.afterSeq ?? 0).limit(part?.limit ?? 0))
    .$if(part?.outcome !== undefined, (query) => query.where('outcome', '=', part?.outcome ?? null))
    .$if(part?.search !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(case_name), lower(${storableText(part?.search ?? '')})) > 0`),
    )
    .orderBy('seq')
    .execute();
}
export type StoredResult = Awaited<ReturnType<typeof readResults>>[number];

/** One result; undefined where the workspace has none with this id. */
export function readResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<StoredResult | undefined> {
  return resultRows(transaction, workspaceId).where('id', '=', id).executeTakeFirst();
}

function resultRows(transaction: WorkspaceTransaction, workspaceId: string) {
  return transaction
    .selectFrom('test_result')
    .select([
      'id',
      'run_id',
      'seq',
      'case_id',
      'case_name',
      'status',
      'outcome',
      'reason',
      'attempt',
      'duration_ms',
    ])
    .where('workspace_id', '=', workspaceId);
}

/** Executions of the attempts that count: one that a crash cut short belongs to an older attempt. */
function executionsOf(transaction: WorkspaceTransaction, results: Results) {
  return transaction
    .selectFrom('execution')
    .innerJoin('test_result', (join) =>
      join
        .onRef('test_result.id', '=', 'execution.result_id')
        .onRef('test_result.workspace_id', '=', 'execution.workspace_id')
        .onRef('test_result.attempt', '=', 'execution.attempt'),
    )
    .where('test_result.workspace_id', '=', results.workspaceId)
    .where((where) =>
      'runId' in results
        ? where('test_result.run_id', '=', results.runId)
        : where('test_result.id', '=', where.fn.any(where.val(results.resultIds))),
    );
}

/** The names of the versions that answered first, by the ids of the results. */
export async function readAnsweringVersions(
  transaction: WorkspaceTransaction,
  results: Results,
): Promise<Map<string, string | null>> {
  const rows = await executionsOf(transaction, results)
    .select(['execution.result_id', 'execution.agent_version'])
    .orderBy('execution.ordinal', 'desc')
    .execute();
  return new Map(rows.map(({ result_id, agent_version }) => [result_id, agent_version]));
}

/** The executions of these results with their verdicts, in the order of their cases' conversations. */
export function readExecutions(transaction: WorkspaceTransaction, results: Results) {
  return executionsOf(transaction, results)
    .leftJoin('evaluation', (join) =>
      join
        .onRef('evaluation.id', '=', 'execution.evaluation_id')
        .onRef('evaluation.workspace_id', '=', 'execution.workspace_id'),
    )
    .selectAll('execution')
    .select(['evaluation.outcome', 'evaluation.reason', 'evaluation.checks', 'evaluation.evaluator'])
    .orderBy('execution.ordinal')
    .execute();
}
export type StoredExecution = Awaited<ReturnType<typeof readExecutions>>[number];

/** The traces of these results by the ids of their executions. */
export async function readTraces(
  transaction: WorkspaceTransaction,
  results: Results,
): Promise<Map<string, TraceEvent[]>> {
  const batches = await executionsOf(transaction, results)
    .innerJoin('trace_batch', (join) =>
      join
        .onRef('trace_batch.execution_id', '=', 'execution.id')
        .onRef('trace_batch.workspace_id', '=', 'execution.workspace_id'),
    )
    .select(['trace_batch.execution_id', 'trace_batch.events'])
    .orderBy('trace_batch.execution_id')
    .orderBy('trace_batch.first_seq')
    .execute();
  const events = new Map<string, TraceEvent[]>();
  for (const batch of batches) {
    const known = events.get(batch.execution_id);
    if (known === undefined) events.set(batch.execution_id, [...batch.events]);
    else known.push(...batch.events);
  }
  return events;
}

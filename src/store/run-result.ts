import type { TraceEvent } from '../core/trace.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { RunKey } from './test-run.ts';

/** The results of a run in the order of its suite. */
export function readResults(transaction: WorkspaceTransaction, { workspaceId, runId }: RunKey) {
  return transaction
    .selectFrom('test_result')
    .select(['id', 'case_id', 'case_name', 'status', 'outcome', 'reason', 'attempt', 'duration_ms'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute();
}
export type StoredResult = Awaited<ReturnType<typeof readResults>>[number];

/** Executions of the attempts that count: one that a crash cut short belongs to an older attempt. */
function executionsOf(transaction: WorkspaceTransaction, { workspaceId, runId }: RunKey) {
  return transaction
    .selectFrom('execution')
    .innerJoin('test_result', (join) =>
      join
        .onRef('test_result.id', '=', 'execution.result_id')
        .onRef('test_result.workspace_id', '=', 'execution.workspace_id')
        .onRef('test_result.attempt', '=', 'execution.attempt'),
    )
    .where('test_result.workspace_id', '=', workspaceId)
    .where('test_result.run_id', '=', runId);
}

/** The executions of a run with their verdicts, in the order of their cases' conversations. */
export function readExecutions(transaction: WorkspaceTransaction, run: RunKey) {
  return executionsOf(transaction, run)
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

/** The traces of a run by the ids of its executions. */
export async function readTraces(
  transaction: WorkspaceTransaction,
  run: RunKey,
): Promise<Map<string, TraceEvent[]>> {
  const batches = await executionsOf(transaction, run)
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

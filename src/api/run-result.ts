import type { CaseResult, ConversationResult, RunResult } from '../contract/result.ts';
import type { Json } from '../core/json.ts';
import type { EndReason, TraceEvent } from '../core/trace.ts';
import { readTrace, type TracedToolCall } from '../core/trace-view.ts';
import type { WorkspaceTransaction } from '../store/database.ts';
import { countRun } from '../store/test-run.ts';
import { requireRun } from './stored-run.ts';

/** The result document of a run, from its rows and stored traces alone, so that every surface says the same. Throws
 *  `not_found`. */
export async function readRunResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<RunResult> {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const { totals } = await countRun(transaction, { workspaceId, runId: run.id }, run.total);
  const cases = await transaction
    .selectFrom('test_result')
    .select(['id', 'case_id', 'case_name', 'outcome', 'reason', 'attempt', 'duration_ms'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', run.id)
    .orderBy('seq')
    .execute();
  const conversations = Map.groupBy(
    await readConversations(transaction, workspaceId, run.id),
    ({ resultId }) => resultId,
  );
  return {
    formatVersion: 1,
    id: run.id,
    suite: { id: run.suite_id, name: run.suite_name },
    status: run.status,
    outcome: run.outcome,
    token: run.token,
    parallel: run.parallel,
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
    durationMs:
      run.started_at !== null && run.finished_at !== null
        ? run.finished_at.getTime() - run.started_at.getTime()
        : null,
    totals,
    results: cases.map(
      (row): CaseResult => ({
        id: row.id,
        testCase: { id: row.case_id, name: row.case_name },
        subjectKind: 'agent',
        outcome: row.outcome,
        reason: row.reason,
        attempt: row.attempt,
        durationMs: row.duration_ms,
        conversations: (conversations.get(row.id) ?? []).map(({ conversation }) => conversation),
      }),
    ),
  };
}

/** The conversations of the attempts that count: one that a crash cut short belongs to an older attempt. */
async function readConversations(transaction: WorkspaceTransaction, workspaceId: string, runId: string) {
  const executions = await transaction
    .selectFrom('execution')
    .innerJoin('test_result', (join) =>
      join
        .onRef('test_result.id', '=', 'execution.result_id')
        .onRef('test_result.workspace_id', '=', 'execution.workspace_id')
        .onRef('test_result.attempt', '=', 'execution.attempt'),
    )
    .leftJoin('evaluation', (join) =>
      join
        .onRef('evaluation.id', '=', 'execution.evaluation_id')
        .onRef('evaluation.workspace_id', '=', 'execution.workspace_id'),
    )
    .selectAll('execution')
    .select(['evaluation.outcome', 'evaluation.reason', 'evaluation.checks', 'evaluation.evaluator'])
    .where('test_result.workspace_id', '=', workspaceId)
    .where('test_result.run_id', '=', runId)
    .orderBy('execution.ordinal')
    .execute();
  const events = await readEvents(transaction, workspaceId, runId);
  return executions.map((row) => {
    const trace = readTrace(events.get(row.id) ?? []);
    const conversation: ConversationResult = {
      id: row.id,
      agentVersionId: row.agent_version_id,
      agentVersion: row.agent_version,
      // an execution that is not judged yet still runs, or was stopped
      outcome: row.outcome ?? (row.status === 'aborted' ? 'cancelled' : 'pending'),
      reason: row.reason ?? '',
      run: row.run_text,
      endReason: row.end_reason as EndReason | null,
      model: row.model,
      messages: messagesOf(events.get(row.id) ?? []),
      toolCalls: trace.toolCalls.map(toolCallOf),
      skillsUsed: [...new Set(trace.skillsLoaded)],
      checks: row.checks ?? [],
      evaluator: row.evaluator as ConversationResult['evaluator'],
      children: [],
      usage: { inputTokens: row.input_tokens, outputTokens: row.output_tokens, costUsd: row.cost_usd },
      durationMs: row.duration_ms,
    };
    return { resultId: row.result_id, conversation };
  });
}

async function readEvents(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  runId: string,
): Promise<Map<string, TraceEvent[]>> {
  const batches = await transaction
    .selectFrom('trace_batch')
    .innerJoin('execution', (join) =>
      join
        .onRef('execution.id', '=', 'trace_batch.execution_id')
        .onRef('execution.workspace_id', '=', 'trace_batch.workspace_id'),
    )
    .innerJoin('test_result', (join) =>
      join
        .onRef('test_result.id', '=', 'execution.result_id')
        .onRef('test_result.workspace_id', '=', 'execution.workspace_id')
        .onRef('test_result.attempt', '=', 'execution.attempt'),
    )
    .select(['trace_batch.execution_id', 'trace_batch.events'])
    .where('test_result.workspace_id', '=', workspaceId)
    .where('test_result.run_id', '=', runId)
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

function messagesOf(events: readonly TraceEvent[]): ConversationResult['messages'] {
  return events.flatMap((event): ConversationResult['messages'] => {
    if (event.kind === 'user_message') return [{ role: 'user', text: event.data.text }];
    if (event.kind !== 'agent_message') return [];
    return [{ role: 'agent', text: event.data.text, attachments: event.data.attachments }];
  });
}

/** A call without an end was under way when its execution ended. */
function toolCallOf({
  server,
  tool,
  args,
  returned,
}: TracedToolCall): ConversationResult['toolCalls'][number] {
  return {
    server,
    tool,
    args,
    result: (returned?.result ?? null) as Json,
    error: returned?.error ?? null,
    isError: returned?.isError ?? false,
    mocked: returned?.mocked ?? false,
    waitedMs: returned?.waitedMs ?? null,
    rule: returned?.rule ?? null,
    durationMs: returned?.durationMs ?? null,
  };
}

import type { CaseResult, ConversationResult, RunResult } from '../contract/result.ts';
import type { Json } from '../core/json.ts';
import type { EndReason, TraceEvent } from '../core/trace.ts';
import { readTrace, type TracedToolCall } from '../core/trace-view.ts';
import type { ReportedRun } from '../files/junit.ts';
import type { WorkspaceTransaction } from '../store/database.ts';
import {
  readExecutions,
  readResults,
  readTraces,
  type StoredExecution,
  type StoredResult,
} from '../store/run-result.ts';
import { countRun, type StoredRun } from '../store/test-run.ts';
import { requireRun } from './stored-run.ts';

/** The result document of a run, from its rows and stored traces alone, so that every surface says the same. Throws
 *  `not_found`. */
export async function readRunResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<RunResult> {
  const { run, key, results, executions } = await readRows(transaction, workspaceId, testRunId);
  const { totals } = await countRun(transaction, key, run.total);
  const traces = await readTraces(transaction, key);
  return {
    formatVersion: 1,
    ...headOf(run),
    status: run.status,
    outcome: run.outcome,
    parallel: run.parallel,
    finishedAt: run.finished_at?.toISOString() ?? null,
    totals,
    results: results.map(
      (row): CaseResult => ({
        id: row.id,
        subjectKind: 'agent',
        ...caseOf(row),
        attempt: row.attempt,
        conversations: (executions.get(row.id) ?? []).map((execution) =>
          conversationOf(execution, row, traces.get(execution.id) ?? []),
        ),
      }),
    ),
  };
}

/** What a report says of a run. It reads no trace, which is most of what a run stores. Throws `not_found`. */
export async function readReportedRun(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<ReportedRun> {
  const { run, results, executions } = await readRows(transaction, workspaceId, testRunId);
  return {
    ...headOf(run),
    results: results.map((row) => ({
      ...caseOf(row),
      conversations: (executions.get(row.id) ?? []).map(({ run_text, checks }) => ({
        run: run_text,
        checks: checks ?? [],
      })),
    })),
  };
}

async function readRows(transaction: WorkspaceTransaction, workspaceId: string, testRunId: string) {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const key = { workspaceId, runId: run.id };
  const results = await readResults(transaction, key);
  const executions = Map.groupBy(await readExecutions(transaction, key), (row) => row.result_id);
  return { run, key, results, executions };
}

function headOf({ id, suite_id, suite_name, token, started_at, finished_at }: StoredRun) {
  const ended = started_at !== null && finished_at !== null;
  return {
    id,
    suite: { id: suite_id, name: suite_name },
    token,
    startedAt: started_at?.toISOString() ?? null,
    durationMs: ended ? finished_at.getTime() - started_at.getTime() : null,
  };
}

function caseOf({ case_id, case_name, outcome, reason, duration_ms }: StoredResult) {
  return { testCase: { id: case_id, name: case_name }, outcome, reason, durationMs: duration_ms };
}

function conversationOf(
  row: StoredExecution,
  result: StoredResult,
  events: readonly TraceEvent[],
): ConversationResult {
  const trace = readTrace(events);
  return {
    id: row.id,
    agentVersionId: row.agent_version_id,
    agentVersion: row.agent_version,
    ...verdictOf(row, result),
    run: row.run_text,
    endReason: row.end_reason as EndReason | null,
    model: row.model,
    messages: messagesOf(events),
    toolCalls: trace.toolCalls.map(toolCallOf),
    skillsUsed: [...new Set(trace.skillsLoaded)],
    checks: row.checks ?? [],
    evaluator: row.evaluator as ConversationResult['evaluator'],
    children: [],
    usage: { inputTokens: row.input_tokens, outputTokens: row.output_tokens, costUsd: row.cost_usd },
    durationMs: row.duration_ms,
  };
}

/** A conversation that nobody judged still goes on, or was stopped, or broke its case off. */
function verdictOf(row: StoredExecution, result: StoredResult) {
  if (row.outcome !== null) return { outcome: row.outcome, reason: row.reason ?? '' };
  if (row.status === 'aborted' || result.outcome === 'cancelled') {
    return { outcome: 'cancelled' as const, reason: '' };
  }
  if (result.status !== 'done') return { outcome: null, reason: '' };
  return { outcome: 'error' as const, reason: result.reason };
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

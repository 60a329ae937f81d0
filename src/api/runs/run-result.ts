import type { CaseResult, ConversationResult, RunResult, TestResult } from '../../contract/result.ts';
import type { Json } from '../../core/json.ts';
import type { EndReason, TraceEvent } from '../../core/trace.ts';
import { readTrace, type TracedToolCall } from '../../core/trace-view.ts';
import type { ReportedRun } from '../../files/junit.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import {
  type Results,
  readExecutions,
  readResults,
  readTraces,
  type StoredExecution,
  type StoredResult,
} from '../../store/run-result.ts';
import { countRun, type StoredRun } from '../../store/test-run.ts';
import { requireRun } from './stored-run.ts';
import { idsOf, requireResult, resultPage } from './test-results.ts';

/** How many results a part has where only its place is asked for. */
const defaultLimit = 50;

/** The result document of a run, from its rows and stored traces alone, so that every surface says the same: with all
 *  results, or with those that `part` asks for. Throws `not_found`. */
export async function readRunResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
  part: { limit?: number | undefined; cursor?: string | undefined } = {},
): Promise<RunResult> {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const key = { workspaceId, runId: run.id };
  const isWhole = part.limit === undefined && part.cursor === undefined;
  const { items: results, nextCursor } = isWhole
    ? { items: await readResults(transaction, key), nextCursor: undefined }
    : await resultPage(transaction, key, { limit: part.limit ?? defaultLimit, cursor: part.cursor });
  const { totals } = await countRun(transaction, key, run.total);
  return {
    formatVersion: 1,
    ...headOf(run),
    status: run.status,
    outcome: run.outcome,
    parallel: run.parallel,
    finishedAt: run.finished_at?.toISOString() ?? null,
    totals,
    results: await caseResults(
      transaction,
      isWhole ? key : { workspaceId, resultIds: idsOf(results) },
      results,
    ),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
}

/** One case of the result document, and where it belongs. Throws `not_found`. */
export async function readTestResult(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testResultId: string,
): Promise<TestResult> {
  const row = await requireResult(transaction, workspaceId, testResultId);
  const { id, suite_id, suite_name, token, status } = await requireRun(transaction, workspaceId, row.run_id);
  const [result] = await caseResults(transaction, { workspaceId, resultIds: [row.id] }, [row]);
  return {
    ...(result as CaseResult),
    seq: row.seq,
    status: row.status,
    testRun: { id, suite: { id: suite_id, name: suite_name }, token, status },
  };
}

/** The cases of the result document for these rows, which are what `which` says. */
async function caseResults(
  transaction: WorkspaceTransaction,
  which: Results,
  rows: readonly StoredResult[],
): Promise<CaseResult[]> {
  const executions = await executionsByResult(transaction, which);
  const traces = await readTraces(transaction, which);
  return rows.map((row) => ({
    id: row.id,
    subjectKind: 'agent',
    ...caseOf(row),
    attempt: row.attempt,
    conversations: (executions.get(row.id) ?? []).map((execution) =>
      conversationOf(execution, row, traces.get(execution.id) ?? []),
    ),
  }));
}

/** What a report says of a run. It reads no trace, which is most of what a run stores. Throws `not_found`. */
export async function readReportedRun(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  testRunId: string,
): Promise<ReportedRun> {
  const run = await requireRun(transaction, workspaceId, testRunId);
  const key = { workspaceId, runId: run.id };
  const results = await readResults(transaction, key);
  const executions = await executionsByResult(transaction, key);
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

async function executionsByResult(transaction: WorkspaceTransaction, which: Results) {
  return Map.groupBy(await readExecutions(transaction, which), (row) => row.result_id);
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

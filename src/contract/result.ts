import { z } from 'zod';
import { endReasons } from '../core/trace.ts';
import { caseOutcomes, checkOutcomes, runStatuses } from '../core/verdict/outcome.ts';
import { totals } from '../core/verdict/totals.ts';

/** The public result document (`formatVersion` 1). It changes only by adding. */
export const runStatus = z.enum(runStatuses);
export const caseOutcome = z.enum(caseOutcomes);

const checkOutcome = z.enum(checkOutcomes);

export { totals } from '../core/verdict/totals.ts';

const named = z.object({ id: z.string(), name: z.string() });

const checkResult = z.object({
  type: z.string(),
  outcome: checkOutcome,
  expected: z.string(),
  actual: z.string(),
  reason: z.string(),
  reasonCode: z.string(),
  reasonParams: z.record(z.string(), z.json()),
  turn: z.int().nullable(),
});

const conversationResult = z.object({
  id: z.string(),
  agentVersionId: z.string().nullable(),
  agentVersion: z.string().nullable(),
  /** null while it goes on. */
  outcome: caseOutcome.nullable(),
  reason: z.string(),
  /** What `{{run}}` stood for in this conversation. */
  run: z.string(),
  endReason: z.enum(endReasons).nullable(),
  model: z.string().nullable(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'agent']),
      text: z.string(),
      attachments: z.array(z.json()).optional(),
    }),
  ),
  toolCalls: z.array(
    z.object({
      server: z.string().nullable(),
      tool: z.string(),
      args: z.json(),
      result: z.json().nullable(),
      /** Why the call itself failed, such as a timeout; a tool that answered with an error has a `result`. */
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
      isError: z.boolean(),
      mocked: z.boolean(),
      waitedMs: z.number().nullable(),
      rule: z.int().nullable(),
      durationMs: z.number().nullable(),
    }),
  ),
  skillsUsed: z.array(z.string()),
  checks: z.array(checkResult),
  evaluator: z.object({ outcome: checkOutcome.or(z.literal('unknown')), reason: z.string() }).nullable(),
  children: z.array(z.json()),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number().nullable() }),
  durationMs: z.number().nullable(),
});

const caseResult = z.object({
  id: z.string(),
  testCase: named,
  subjectKind: z.enum(['agent', 'workflow']),
  outcome: caseOutcome.nullable(),
  reason: z.string(),
  attempt: z.int(),
  durationMs: z.number().nullable(),
  conversations: z.array(conversationResult),
});

export const runResult = z.object({
  formatVersion: z.literal(1),
  id: z.string(),
  suite: named,
  status: runStatus,
  outcome: caseOutcome.nullable(),
  token: z.string(),
  parallel: z.int(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  totals,
  results: z.array(caseResult),
  /** Only where a part of the results was asked for; null: it is the last one. */
  nextCursor: z.string().nullable().optional(),
});
export type RunResult = z.infer<typeof runResult>;
/** What lists say of the result of a case. */
export const listedResult = z.object({
  id: z.string(),
  /** Place in the order of the suite, from 1. */
  seq: z.int(),
  testCase: named,
  status: z.enum(['queued', 'running', 'done']),
  outcome: caseOutcome.nullable(),
  reason: z.string(),
  attempt: z.int(),
  durationMs: z.number().nullable(),
  /** Name of the version that answered; null: none has yet. */
  agentVersion: z.string().nullable(),
});
export type ListedResult = z.infer<typeof listedResult>;

/** The result of one case, as the result document has it, and where it belongs. */
export const testResult = caseResult.extend({
  ...listedResult.pick({ seq: true, status: true }).shape,
  testRun: z.object({ id: z.string(), suite: named, token: z.string(), status: runStatus }),
});
export type TestResult = z.infer<typeof testResult>;

export type CaseResult = z.infer<typeof caseResult>;
export type ConversationResult = z.infer<typeof conversationResult>;

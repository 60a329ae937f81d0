import type { FailureSource } from './errors.ts';
import type { Json, JsonObject } from './json.ts';

/** Hints as the server declared them; an absent hint is absent, never the protocol's default. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
  title?: string;
}

/** A tool that the answering version offered in this execution. `name` is how people and checks name it:
 *  the tool's own name, or `server/tool` where two servers offer the same name. */
export interface OfferedTool {
  server: string;
  tool: string;
  name: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: JsonObject;
}

/** Stands for a payload that is kept by hash; `cut` means that the stored part is not the whole. */
export interface PayloadReference {
  $ref: `sha256:${string}`;
  bytes: number;
  cut: boolean;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export type ExecutionKind = 'conversation' | 'workflow';
/** Why a conversation ended. `null` in a result: the driver has no notion of an end reason. */
export const endReasons = ['goal_achieved', 'exit_intent', 'max_turns_reached'] as const;
export type EndReason = (typeof endReasons)[number];
export type ExecutionStatus = 'completed' | 'failed' | 'aborted';

/** Kinds of workspace objects that object checks can look for. */
export const observableObjects = ['prompt', 'agent', 'skill', 'test-case'] as const;
export type ObservableObject = (typeof observableObjects)[number];

/** What each event of a trace carries. Everything that judges an execution reads these facts and nothing else. */
export interface EventData {
  execution_started: {
    subject: { kind: 'agent' | 'workflow'; id: string; name: string; versionId: string; version: string };
    contentHash: string;
    environment: string;
    driver: string;
    input: Json;
    offered: { tools: OfferedTool[]; skills: string[] };
  };
  user_message: { speaker: string; text: string; value?: Json };
  agent_message: { text: string; attachments: Json[]; suggestedActions: string[]; replyTo: number | null };
  model_called: { model: string; offline: boolean };
  model_returned: { usage: TokenUsage | null; costUsd: number | null; finish: string };
  /** Written before the call is sent. Calls of one model message share `batch` and stand in the order listed.
   *  `server: null`: nothing was sent and nothing ran, because the model named a tool that does not exist or wrote
   *  arguments that are no JSON object, which then stand here as the text they were. */
  tool_called: { callId: string; batch: string; server: string | null; tool: string; args: Json };
  tool_returned: {
    callId: string;
    result?: Json | PayloadReference;
    error?: { code: string; message: string };
    isError: boolean;
    mocked: boolean;
    rule: number | null;
    seed: string | null;
    waitedMs: number | null;
    durationMs: number;
  };
  skill_loaded: { skill: string };
  plan: { steps: string[] };
  topic: { name: string };
  node_started: { node: string };
  node_finished: { node: string; kind: string; writes: JsonObject };
  branch: { node: string; taken: string };
  human_asked: { node: string; prompt: string };
  human_answered: { node: string; answer: string };
  suppressed: { kind: string; to: string };
  observed: {
    object: ObservableObject;
    name: string;
    when: 'before' | 'after';
    exists: boolean;
    createdAt: string | null;
    /** When it was looked, by the clock that `createdAt` is of; traces of older versions do not say. */
    now?: string;
  };
  failure: { where: FailureSource; code: string; message: string };
  execution_finished: { status: ExecutionStatus; endReason: EndReason | null };
}

export type EventKind = keyof EventData;
export type EventBody = { [K in EventKind]: { kind: K; data: EventData[K] } }[EventKind];

/** One fact of an execution attempt. `seq` counts from 1 without gaps; `at` is ISO 8601 UTC; `parent` is the seq of
 *  the event this one belongs under (a tool's return under its call), or null. */
export type TraceEvent = EventBody & { seq: number; at: string; parent: number | null };

/** Appends a fact to the execution's trace and returns its seq. */
export type Emit = (body: EventBody, parent?: number) => number;

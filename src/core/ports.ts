import type { FrozenAgent, FrozenServer } from './frozen.ts';
import type { Json, JsonObject } from './json.ts';
import type { SealedSecret } from './sealed-secret.ts';
import type { Emit, ObservableObject, OfferedTool, TokenUsage, ToolAnnotations } from './trace.ts';

/** What the engine is handed from outside. Only the composition root knows the implementations. */
export interface Clock {
  /** Wall time, for records. */
  now(): Date;
  /** Milliseconds from a fixed point, for durations. */
  monotonicMs(): number;
  /** Resolves after `ms`, rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Random {
  /** A UUID version 7. */
  id(): string;
  /** `length` characters of [a-z0-9]. */
  token(length: number): string;
}

// --- models -------------------------------------------------------------------------------------------------------

/** Arguments as the model wrote them: read, or the raw text where it is no JSON object; then nothing may be sent. */
export type CallArguments = { args: JsonObject } | { unreadableArgs: string };

export type ModelToolCall = CallArguments & {
  /** Unique in the conversation; made up by the adapter where the provider gives none. */
  id: string;
  /** The model-facing tool name. */
  name: string;
  /** What the provider wants back with this call in the history, to the letter. */
  signature?: string;
};

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'agent'; text: string; toolCalls: ModelToolCall[] }
  | { role: 'tool'; callId: string; name: string; text: string; isError: boolean };

export interface ModelTool {
  /** Matches [a-zA-Z0-9_-]{1,64}. */
  name: string;
  description: string;
  inputSchema: JsonObject;
}

export interface ModelRequest {
  system: string;
  messages: ModelMessage[];
  tools: ModelTool[];
}

export interface ModelReply {
  text: string;
  toolCalls: ModelToolCall[];
  usage: TokenUsage | null;
  /** null where the price of the model is not known. */
  costUsd: number | null;
  /** `stop`, `tool_calls`, `length`, `content_filter` or the provider's own word. Only the first two are whole replies. */
  finish: string;
}

export interface Model {
  readonly name: string;
  readonly offline: boolean;
  /** One request with its own retries (429, 5xx, dropped connections). Throws ExecutionFailure('model', code, …) when
   *  it finally fails, and the signal's reason when aborted. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

/** `open('offline')`, `open('openai:gpt-5-mini')`. Throws ExecutionFailure('model', 'unknown_provider' | 'no_key', …). */
export interface Models {
  open(model: string, workspaceId: string): Promise<Model>;
}

// --- tools --------------------------------------------------------------------------------------------------------

/** Where a tool session belongs; decides which server processes are shared (isolation `run` or `conversation`). */
export interface ToolScope {
  workspaceId: string;
  runId: string;
  executionId: string;
  environment: string;
}

export type ToolCall = CallArguments & {
  callId: string;
  /** The model-facing name. */
  name: string;
};

/** What the model gets to read of a call's end. */
export interface ToolAnswer {
  callId: string;
  text: string;
  isError: boolean;
}

export interface ToolSession {
  offered: OfferedTool[];
  /** The same tools under names a model accepts; `forModel[i]` stands for `offered[i]`. */
  forModel: ModelTool[];
  /** Calls of one model message: every `tool_called` is emitted in the order listed before any is sent, then all run at
   *  once. A failing, hanging or unknown tool gives an answer with `isError`. Rejects on abort, and with
   *  ExecutionFailure('tool', 'server_lost') where a server was lost, after every call has its `tool_returned`. */
  callAll(calls: ToolCall[], emit: Emit, parent: number, signal: AbortSignal): Promise<ToolAnswer[]>;
  close(): Promise<void>;
}

export interface DiscoveredTool {
  tool: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: JsonObject;
}

export interface Tools {
  /** Connects to every server. Throws ExecutionFailure('tool', 'server_unreachable', …) naming the server and the cause. */
  open(servers: FrozenServer[], scope: ToolScope, signal: AbortSignal): Promise<ToolSession>;
  /** Connects once to a server of the workspace, lists the tools, disconnects. Throws as `open` does. */
  discover(server: FrozenServer, workspaceId: string, signal: AbortSignal): Promise<DiscoveredTool[]>;
  /** Ends everything that is shared by the conversations of a run. */
  closeRun(runId: string): Promise<void>;
  close(): Promise<void>;
}

// --- subjects -----------------------------------------------------------------------------------------------------

export interface SubjectSession {
  workspaceId: string;
  runId: string;
  executionId: string;
  environment: string;
  emit: Emit;
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  models: Models;
  tools: Tools;
}

export interface UserTurn {
  speaker: string;
  text: string;
}

export interface AgentTurn {
  text: string;
}

/** An open conversation with one subject. */
export interface Conversation {
  offered: { tools: OfferedTool[]; skills: string[] };
  /** Sends one user message (whose event has seq `parent`) and resolves when the subject has finished its whole answer;
   *  emits `agent_message` itself. Throws ExecutionFailure on a technical failure, the signal's reason on abort. */
  send(turn: UserTurn, parent: number): Promise<AgentTurn>;
  close(): Promise<void>;
}

/** One kind of agent that can be talked to. */
export interface Subject {
  readonly kind: FrozenAgent['kind'];
  open(agent: FrozenAgent, session: SubjectSession): Promise<Conversation>;
}

// --- workspace state ----------------------------------------------------------------------------------------------

/** Looks whether an object of that name stands in the workspace now (unarchived), and when it was created. `now` is the
 *  time of the look by the clock that dates objects; both times in ISO 8601 UTC. */
export type Observe = (
  workspaceId: string,
  object: ObservableObject,
  name: string,
  signal: AbortSignal,
) => Promise<{ exists: boolean; createdAt: string | null; now: string }>;

/** Seals secrets for storage. A sealed value carries its key id; opening with an unknown key throws AssayError. */
export interface Secrets {
  seal(text: string): SealedSecret;
  open(sealed: SealedSecret): string;
}

/** Marks texts as made by this installation. */
export interface Signer {
  /** The text with its signature, in characters that headers may hold. Whoever has it can read the text. */
  sign(text: string): string;
  /** The text; null where it was not signed here. */
  read(signed: string): string | null;
}

/** Replaces secrets in a value that is about to be stored or shown. */
export type Redact = <T extends Json>(value: T) => T;

/** What takes out the secrets that can show where these workspaces are at work: theirs, and those of the process. */
export type RedactFor = (workspaceIds: readonly string[]) => Redact;

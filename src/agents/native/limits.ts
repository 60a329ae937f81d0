import type { AgentLimits } from '../../core/documents/agent.ts';
import { ExecutionFailure } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { TokenUsage } from '../../core/trace.ts';

/** Keeps one conversation within its agent's limits. Each failure is ExecutionFailure('agent', 'limit_…'). */
export interface ConversationLimits {
  /** Aborts with the session, with its reason, and when the time is up, with the failure. */
  signal: AbortSignal;
  /** Throws where one call more for this user message would be one too many. */
  beforeModelCall(made: number): void;
  /** Throws where the conversation has used too many tokens. A provider that names no usage is not counted. */
  afterModelCall(usage: TokenUsage | null): void;
  /** Ends the watch on the time. */
  stop(): void;
}

/** Starts the time of a conversation. */
export function watchLimits(limits: AgentLimits, clock: Clock, session: AbortSignal): ConversationLimits {
  const conversation = new AbortController();
  const watch = new AbortController();
  let tokens = 0;
  // One listener instead of a composite signal, and a ready-made reason: both cost more than a short conversation.
  const stop = () => {
    session.removeEventListener('abort', follow);
    watch.abort(watchEnded);
  };
  const follow = () => {
    stop();
    conversation.abort(session.reason);
  };
  if (session.aborted) follow();
  else session.addEventListener('abort', follow, { once: true });
  clock.sleep(limits.seconds * 1000, watch.signal).then(
    () => conversation.abort(reached('seconds', limits.seconds, 'seconds for a conversation')),
    () => {}, // the conversation ended first
  );
  return {
    signal: conversation.signal,
    beforeModelCall: (made) => {
      if (made >= limits.modelCalls) {
        throw reached('modelCalls', limits.modelCalls, 'model calls for one message of the user');
      }
    },
    afterModelCall: (usage) => {
      if (usage !== null) tokens += usage.inputTokens + usage.outputTokens;
      if (tokens > limits.tokens) {
        throw reached('tokens', limits.tokens, 'tokens for a conversation', ` It has used ${tokens}.`);
      }
    },
    stop,
  };
}

const watchEnded = new Error('The conversation has ended.');

const codes = { modelCalls: 'limit_model_calls', tokens: 'limit_tokens', seconds: 'limit_seconds' } as const;

function reached(setting: keyof AgentLimits, limit: number, what: string, detail = ''): ExecutionFailure {
  return new ExecutionFailure(
    'agent',
    codes[setting],
    `The agent went beyond its limit of ${limit} ${what} (limits.${setting} of its version).${detail}`,
  );
}

import type { AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import type { JsonObject } from '../../core/json.ts';
import type { CallArguments, ModelMessage, ModelReply, ModelToolCall } from '../../core/ports.ts';
import type { TokenUsage } from '../../core/trace.ts';
import { costOf } from '../pricing.ts';

/** The stream ended before the model said that it had finished. */
export class IncompleteReply extends Error {}

/** Puts a streamed reply together. Throws IncompleteReply where the stream broke off without an error. */
export async function readReply(
  model: string,
  history: ModelMessage[],
  stream: AsyncIterable<AIMessageChunk>,
): Promise<ModelReply> {
  let whole: AIMessageChunk | undefined;
  let finish: string | null = null;
  for await (const chunk of stream) {
    finish = finishOf(chunk) ?? finish;
    whole = whole === undefined ? chunk : whole.concat(chunk);
  }
  if (whole === undefined || finish === null)
    throw new IncompleteReply('The stream ended before the reply was complete.');
  const toolCalls = toolCallsOf(whole, history);
  const tokens = whole.usage_metadata as UsageMetadata | undefined;
  const usage = usageOf(tokens);
  return {
    text: whole.text,
    toolCalls,
    usage,
    costUsd: costOf(model, usage, tokens?.input_token_details?.cache_read ?? 0),
    finish: finish === 'stop' && toolCalls.length > 0 ? 'tool_calls' : finish,
  };
}

/** Null where the provider did not say: the client writes zeros then, but no request has no input. */
function usageOf(tokens: UsageMetadata | undefined): TokenUsage | null {
  if (tokens === undefined || tokens.input_tokens + tokens.output_tokens === 0) return null;
  return { inputTokens: tokens.input_tokens, outputTokens: tokens.output_tokens };
}

/** Chat completions give a finish reason; the Responses API gives a status, and why a reply is incomplete. */
function finishOf(chunk: AIMessageChunk): string | null {
  const { finish_reason, status, incomplete_details } = chunk.response_metadata as {
    finish_reason?: string;
    status?: string;
    incomplete_details?: { reason?: string } | null;
  };
  if (finish_reason) return finish_reason;
  if (status === 'completed') return 'stop';
  if (status !== 'incomplete') return null;
  const reason = incomplete_details?.reason ?? 'incomplete';
  return reason === 'max_output_tokens' ? 'length' : reason;
}

/** Read from the raw text of the arguments: the client's own reading repairs broken JSON, and a call that the model
 *  did not write must not be made. Ids that are missing or used before are made up. */
function toolCallsOf(whole: AIMessageChunk, history: ModelMessage[]): ModelToolCall[] {
  const used = new Set(
    history.flatMap((message) => (message.role === 'agent' ? message.toolCalls.map(({ id }) => id) : [])),
  );
  return (whole.tool_call_chunks ?? []).map((chunk) => {
    let id = chunk.id ?? '';
    for (let number = used.size + 1; id === '' || used.has(id); number++) id = `call_${number}`;
    used.add(id);
    return { id, name: chunk.name ?? '', ...argumentsOf(chunk.args ?? '') };
  });
}

function argumentsOf(text: string): CallArguments {
  if (text.trim() === '') return { args: {} };
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? { args: value as JsonObject }
      : { unreadableArgs: text };
  } catch {
    return { unreadableArgs: text };
  }
}

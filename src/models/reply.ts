import type { ModelMessage, ModelReply, ModelToolCall } from '../core/ports.ts';
import type { TokenUsage } from '../core/trace.ts';
import { readArguments } from './arguments.ts';
import { costOf } from './pricing.ts';

/** The stream ended before the model said that it had finished. */
export class IncompleteReply extends Error {}

/** A reply as a provider gave it, put together. */
export interface RawReply {
  text: string;
  toolCalls: RawToolCall[];
  usage: TokenUsage & { /** Of the input. */ cachedTokens: number };
  /** In the words of ModelReply; null: the provider did not say that the reply is finished. */
  finish: string | null;
}

export interface RawToolCall {
  id: string | undefined;
  name: string;
  /** The text of the arguments as the model wrote it, where there is one: clients repair broken JSON when they read it,
   *  and a call that the model did not write must not be made. */
  args: unknown;
  signature?: string;
}

/** The reply as the rest of the product takes it. Throws IncompleteReply where the stream broke off without an error. */
export function wholeReply(
  model: string,
  history: readonly ModelMessage[],
  { text, toolCalls, usage, finish }: RawReply,
): ModelReply {
  if (finish === null) throw new IncompleteReply('The stream ended before the reply was complete.');
  // a provider that did not say: no request has no input
  const known = usage.inputTokens + usage.outputTokens === 0 ? null : usage;
  return {
    text,
    toolCalls: withIds(toolCalls, history),
    usage: known && { inputTokens: known.inputTokens, outputTokens: known.outputTokens },
    costUsd: costOf(model, known, known?.cachedTokens),
    finish: finish === 'stop' && toolCalls.length > 0 ? 'tool_calls' : finish,
  };
}

/** Ids that are missing or used before are made up. */
function withIds(toolCalls: RawToolCall[], history: readonly ModelMessage[]): ModelToolCall[] {
  const used = new Set(
    history.flatMap((message) => (message.role === 'agent' ? message.toolCalls.map(({ id }) => id) : [])),
  );
  return toolCalls.map(({ id: given = '', name, args, signature }) => {
    let id = given;
    for (let number = used.size + 1; id === '' || used.has(id); number++) id = `call_${number}`;
    used.add(id);
    return { id, name, ...readArguments(args), ...(signature === undefined ? {} : { signature }) };
  });
}

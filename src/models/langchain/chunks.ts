import type { AIMessageChunk, UsageMetadata } from '@langchain/core/messages';
import type { RawReply } from '../reply.ts';

/** Puts a streamed reply together. `finishOf` says whether a chunk names the end, in the words of ModelReply;
 *  `signatureOf` says what the provider wants back of the whole reply with its calls. */
export async function readChunks(
  stream: AsyncIterable<AIMessageChunk>,
  finishOf: (chunk: AIMessageChunk) => string | null,
  signatureOf: (whole: AIMessageChunk) => string | undefined = () => undefined,
): Promise<RawReply> {
  let whole: AIMessageChunk | undefined;
  let finish: string | null = null;
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  for await (const chunk of stream) {
    finish = finishOf(chunk) ?? finish;
    // counts of a reply only grow: the greatest is that of the whole, where the client would add them up
    const told = chunk.usage_metadata as UsageMetadata | undefined;
    usage.inputTokens = Math.max(usage.inputTokens, told?.input_tokens ?? 0);
    usage.outputTokens = Math.max(usage.outputTokens, told?.output_tokens ?? 0);
    usage.cachedTokens = Math.max(usage.cachedTokens, told?.input_token_details?.cache_read ?? 0);
    whole = whole === undefined ? chunk : whole.concat(chunk);
  }
  const signature = whole === undefined ? undefined : signatureOf(whole);
  const toolCalls = (whole?.tool_call_chunks ?? []).map(({ id, name, args }, index) => ({
    id,
    name: name ?? '',
    args: args ?? '',
    ...(index === 0 && signature !== undefined ? { signature } : {}),
  }));
  return {
    text: whole?.text ?? '',
    toolCalls,
    usage,
    finish,
  };
}

import { z } from 'zod';
import { messageOf } from '../../core/errors.ts';
import { HttpRefusal } from '../http-refusal.ts';
import type { RawReply, RawToolCall } from '../reply.ts';

const count = z.number().optional();
const part = z.object({
  text: z.string().optional(),
  /** Of its thoughts, which are no part of the reply. */
  thought: z.boolean().optional(),
  functionCall: z
    .object({ id: z.string().optional(), name: z.string(), args: z.unknown().optional() })
    .optional(),
  thoughtSignature: z.string().optional(),
});
/** What is read of one event. */
const chunk = z.object({
  candidates: z
    .array(
      z.object({
        content: z.object({ parts: z.array(part).optional() }).optional(),
        finishReason: z.string().optional(),
      }),
    )
    .optional(),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z
    .object({
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    })
    .optional(),
  error: z.object({ code: z.number() }).optional(),
});
type Chunk = z.infer<typeof chunk>;

/** Puts a streamed reply together. */
export async function readChunks(events: AsyncIterable<{ data: string }> | never[]): Promise<RawReply> {
  let text = '';
  let finish: string | null = null;
  let usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const toolCalls: RawToolCall[] = [];
  for await (const { data } of events) {
    const { candidates, promptFeedback, usageMetadata, error } = read(data);
    if (error !== undefined) throw new HttpRefusal(error.code, new Headers(), data);
    const [candidate] = candidates ?? [];
    for (const { thought, functionCall, thoughtSignature: signature, ...more } of candidate?.content?.parts ??
      []) {
      if (thought !== true) text += more.text ?? '';
      if (functionCall === undefined) continue;
      const { id, name, args = {} } = functionCall;
      toolCalls.push({ id, name, args, ...(signature === undefined ? {} : { signature }) });
    }
    if (promptFeedback?.blockReason !== undefined) finish = 'content_filter';
    if (candidate?.finishReason !== undefined) finish = finishOf(candidate.finishReason);
    if (usageMetadata !== undefined) usage = usageOf(usageMetadata);
  }
  return { text, toolCalls, usage, finish };
}

function read(data: string): Chunk {
  try {
    return chunk.parse(JSON.parse(data));
  } catch (cause) {
    // without it as the cause, which would be shown in its place
    throw new Error(`The reply holds an event that cannot be read: ${messageOf(cause).replace(/\s+/g, ' ')}`);
  }
}

/** Each event holds the counts of all up to it. */
function usageOf(told: NonNullable<Chunk['usageMetadata']>): RawReply['usage'] {
  return {
    inputTokens: (told.promptTokenCount ?? 0) + (told.toolUsePromptTokenCount ?? 0),
    outputTokens: (told.candidatesTokenCount ?? 0) + (told.thoughtsTokenCount ?? 0),
    cachedTokens: told.cachedContentTokenCount ?? 0,
  };
}

const finishes: Record<string, string> = {
  STOP: 'stop',
  // in the words of some servers that stand for it
  FUNCTION_CALL: 'tool_calls',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
};

function finishOf(reason: string): string {
  return finishes[reason] ?? reason;
}

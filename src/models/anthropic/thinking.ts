import type { ContentBlock } from '@langchain/core/messages';
import { z } from 'zod';
import type { ModelMessage } from '../../core/ports.ts';
import { pastArguments } from '../arguments.ts';

type Said = Extract<ModelMessage, { role: 'agent' }>;

/** A block of a reply: thinking to the letter, or that text or a call stands here. */
const keptBlock = z.union([
  z.looseObject({ type: z.enum(['thinking', 'redacted_thinking']) }),
  z.object({ type: z.literal('text'), text: z.string().min(1) }),
  z.object({ type: z.literal('tool_use') }),
]);

/** What has to come back with the calls of a reply that was thought about; undefined where it was not. */
export function keepThinking(content: unknown): string | undefined {
  const blocks = (Array.isArray(content) ? content : []).flatMap((block) => {
    const read = keptBlock.safeParse(block);
    // the place of a block is the client's own
    return read.success ? [{ ...read.data, index: undefined }] : [];
  });
  return blocks.some(({ type }) => type.endsWith('thinking')) ? JSON.stringify(blocks) : undefined;
}

/** The content of a reply as it was; undefined where nothing was kept of it. */
export function withThinking({ toolCalls }: Said): ContentBlock[] | undefined {
  const signature = toolCalls[0]?.signature;
  if (signature === undefined) return undefined;
  const calls = toolCalls.values();
  const blocks = z.array(keptBlock).parse(JSON.parse(signature));
  return blocks.flatMap((block): ContentBlock[] => {
    if (block.type !== 'tool_use') return [block];
    const { value: call } = calls.next();
    if (call === undefined) return [];
    const { id, name } = call;
    return [{ type: 'tool_use', id, name, input: pastArguments(call) }];
  });
}

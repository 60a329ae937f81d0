import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { Json } from '../core/json.ts';
import { jsonDepth, modelTextLength } from '../net/limits.ts';
import { ToolFailure } from './tool-failure.ts';

/** What a trace keeps of a result: its content, and its structured content where there is one. */
export function keptResult(result: CallToolResult): Json {
  const kept = {
    content: result.content,
    ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
  } as Json;
  if (isDeeper(kept, jsonDepth)) {
    const text = `The tool's result is nested more than ${jsonDepth} levels deep and was not kept.`;
    throw new ToolFailure('unreadable_result', text);
  }
  return kept;
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** What a model gets to read: the texts of a result, what else there is by kind and size, cut to a length it can take. */
export function modelText(kept: Json): string {
  const { content, structuredContent } = kept as { content: ContentBlock[]; structuredContent?: Json };
  const parts = content.map(describe);
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return cutText(parts.join('\n'));
}

/** Ill-formed text is not accepted by every provider. */
export function cutText(text: string): string {
  if (text.length <= modelTextLength) return text.toWellFormed();
  const shown = text.slice(0, modelTextLength).toWellFormed();
  return `${shown}\n[cut: the first ${modelTextLength} of ${text.length} characters]`;
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${decodedBytes(block.data)} bytes]`;
    case 'resource_link':
      return `[link to ${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${decodedBytes(block.resource.blob)} bytes]`;
  }
}

function decodedBytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

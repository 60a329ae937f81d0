import { envelopeOf } from '../contract/client.ts';
import { messageOf } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { renameFields, snakeCase } from '../core/text/key-case.ts';
import type { OperationTool } from './tools.ts';

/** So many characters are sent as text at most beside the structured content, where the rest can be had in pages. */
const longestText = 32_000;

/** What a tool answers with: its output as structured content, and as text for whoever reads nothing else. */
export function success(tool: OperationTool, output: unknown) {
  const structuredContent = renameFields(output as Json, tool.outputSchema, 'snake') as JsonObject;
  const texts = textsOf(tool, structuredContent);
  return { content: texts.map((text) => ({ type: 'text' as const, text })), structuredContent };
}

/** The whole document as JSON. A long one whose entries can be had in pages is its first page instead, and says so: who
 *  reads the structured content is not sent all of it twice, and who does not can read on. */
function textsOf({ name, cutAt }: OperationTool, document: JsonObject): string[] {
  const whole = JSON.stringify(document);
  if (cutAt === undefined || whole.length <= longestText) return [whole];
  const entries = document[cutAt] as { id: string }[];
  let left = longestText - JSON.stringify({ ...document, [cutAt]: [] }).length;
  let fitting = entries.findIndex((entry) => {
    left -= JSON.stringify(entry).length + 1;
    return left < 0;
  });
  if (fitting === 0) fitting = 1;
  const cursor = entries[fitting - 1]?.id;
  if (fitting >= entries.length || cursor === undefined) return [whole];
  const firstPage = { ...document, [cutAt]: entries.slice(0, fitting), next_cursor: cursor };
  return [
    JSON.stringify(firstPage),
    `This text holds the first ${fitting} of ${entries.length} ${cutAt}; the structured content holds all of them. To read on in text, call ${name} again with "cursor": "${cursor}".`,
  ];
}

export function failure(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}

/** The message, and each wrong field by the name it has here. */
export function describeRefusal(error: unknown): string {
  const envelope = envelopeOf(error);
  if (envelope === null) return messageOf(error);
  const lines = envelope.details.map((detail) =>
    detail.field === undefined ? `- ${detail.message}` : `- ${snakeCase(detail.field)}: ${detail.message}`,
  );
  // the sentence about a wrong input names the fields as they are called inside
  const message =
    envelope.code === 'invalid_input' && lines.length > 0 ? 'The input is not valid.' : envelope.message;
  return [message, ...lines].join('\n');
}

import type { Json, JsonObject } from './json.ts';
import type { Redact } from './ports.ts';
import { redactedJson } from './redacted-json.ts';

/** What MCP calls the parts of a result. They are no content: without them it could not be read as one. */
const partNames = new Set(
  (
    '_meta annotations audience blob content data description icons isError lastModified mimeType name priority ' +
    'resource size sizes src structuredContent text title type uri'
  ).split(' '),
);
const blockTypes: Json[] = ['text', 'image', 'audio', 'resource_link', 'resource'];

/** The result of a tool without its secrets: what its parts say, and everything inside the structured content. The form
 *  of the protocol stays, whatever a secret reads like. */
export function redactedResult(result: Json, redact: Redact): Json {
  // in one pass where there is nothing to take out
  if (redact(result) === result) return result;
  if (!isObject(result) || !Array.isArray(result.content)) return redact(result);
  const { content, structuredContent, ...more } = result;
  return {
    content: content.map((block) => redactedBlock(block, redact)),
    ...(structuredContent === undefined ? {} : { structuredContent: redact(structuredContent) }),
    ...redact(more),
  };
}

function redactedBlock(block: Json, redact: Redact): Json {
  const clean = redactedJson(block, redact, (key) => partNames.has(key));
  if (!isObject(block) || !isObject(clean) || !blockTypes.includes(block.type ?? null)) return clean;
  return { ...clean, type: block.type as Json };
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

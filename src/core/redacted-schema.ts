import type { Json, JsonObject } from './json.ts';
import type { Redact } from './ports.ts';
import { redactedJson } from './redacted-json.ts';

const typeWords = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The schema without the secrets in what it says. Its keys are words of JSON Schema and names of parameters, so they
 *  stay, and so does what names them or a type. */
export function redactedSchema(schema: JsonObject, redact: Redact): JsonObject {
  if (redact(schema) === schema) return schema;
  const words = new Set([...typeWords, ...namesIn(schema)]);
  return inSchema(schema, redact, words) as JsonObject;
}

function inSchema(value: Json, redact: Redact, words: ReadonlySet<string>): Json {
  if (value === null || typeof value !== 'object') return redact(value);
  if (Array.isArray(value)) return value.map((item) => inSchema(item, redact, words));
  const isWord = (item: Json) => typeof item === 'string' && words.has(item);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      (key === 'type' || key === 'required') && [inner].flat().every(isWord)
        ? inner
        : inSchema(inner, redact, words),
    ]),
  );
}

/** The arguments of a call without their secrets. Parameters that the tool declares keep their names: checks tell by them
 *  what was asked for. */
export function redactedArguments(args: Json, schema: JsonObject | undefined, redact: Redact): Json {
  if (redact(args) === args) return args;
  const names = schema === undefined ? new Set<string>() : namesIn(schema);
  return redactedJson(args, redact, (key) => names.has(key));
}

function namesIn(schema: Json, names = new Set<string>()): Set<string> {
  if (schema === null || typeof schema !== 'object') return names;
  for (const [key, inner] of Object.entries(schema)) {
    if (!Array.isArray(schema)) names.add(key);
    namesIn(inner, names);
  }
  return names;
}

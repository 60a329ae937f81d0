import type { Json, JsonObject } from '../../core/json.ts';
import { partsOf } from './words.ts';

type SchemaKind = 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'list' | 'object' | 'any';

/** A JSON schema as far as arguments are filled by it: a tree of properties. */
export interface SchemaNode {
  /** The property's name; empty for the root and for the element of a list. */
  key: string;
  parts: readonly string[];
  kind: SchemaKind;
  required: boolean;
  /** The values of an `enum`. */
  choices: Json[];
  /** Properties of an object, required ones first; the one element of a list. */
  children: SchemaNode[];
  fallback: Json | undefined;
  mayBeEmpty: boolean;
  description: string;
  format: string;
}

const deepest = 6;

export function schemaTree(schema: JsonObject): SchemaNode {
  return nodeOf('', schema, true, schema, 0);
}

function nodeOf(
  key: string,
  raw: Json | undefined,
  required: boolean,
  root: JsonObject,
  depth: number,
): SchemaNode {
  const schema = resolved(raw, root);
  const choices = choicesOf(schema);
  const kind = choices.length > 0 ? 'enum' : kindOf(schema);
  let children: SchemaNode[] = [];
  if (depth < deepest && kind === 'object' && isObject(schema.properties)) {
    const names = Array.isArray(schema.required) ? schema.required : [];
    const nodes = Object.entries(schema.properties).map(([name, inner]) =>
      nodeOf(name, inner, names.includes(name), root, depth + 1),
    );
    children = [...nodes.filter((node) => node.required), ...nodes.filter((node) => !node.required)];
  } else if (depth < deepest && kind === 'list') {
    children = [nodeOf('', schema.items, true, root, depth + 1)];
  }
  return {
    key,
    parts: partsOf(key),
    kind,
    required,
    choices,
    children,
    fallback: schema.const ?? schema.default,
    mayBeEmpty: typeof schema.minItems !== 'number' || schema.minItems === 0,
    description: typeof schema.description === 'string' ? schema.description : '',
    format: typeof schema.format === 'string' ? schema.format : '',
  };
}

function kindOf(schema: JsonObject): SchemaKind {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).find((type) => type !== 'null');
  if (named === 'array') return 'list';
  if (
    named === 'string' ||
    named === 'number' ||
    named === 'integer' ||
    named === 'boolean' ||
    named === 'object'
  ) {
    return named;
  }
  return isObject(schema.properties) ? 'object' : 'any';
}

function choicesOf(schema: JsonObject): Json[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((choice) => choice !== null);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0) return [];
  const constants = alternatives.map((alternative) =>
    isObject(alternative) ? alternative.const : undefined,
  );
  return constants.every((constant) => constant !== undefined) ? (constants as Json[]) : [];
}

/** Follows a local `$ref`, and takes the first alternative that is not null. */
function resolved(raw: Json | undefined, root: JsonObject, hops = 0): JsonObject {
  if (!isObject(raw) || hops > deepest) return {};
  if (typeof raw.$ref === 'string' && raw.$ref.startsWith('#/')) {
    let target: Json | undefined = root;
    for (const step of raw.$ref.slice(2).split('/')) target = isObject(target) ? target[step] : undefined;
    return resolved(target, root, hops + 1);
  }
  const alternatives = raw.anyOf ?? raw.oneOf;
  if (!Array.isArray(alternatives) || raw.type !== undefined || choicesOf(raw).length > 0) return raw;
  const first = alternatives.find((alternative) => isObject(alternative) && alternative.type !== 'null');
  return {
    ...resolved(first, root, hops + 1),
    ...('default' in raw ? { default: raw.default as Json } : {}),
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

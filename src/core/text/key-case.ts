import type { Json, JsonObject } from '../json.ts';

/** A JSON Schema, as far as names of fields are concerned. */
export type JsonSchema = { [keyword: string]: Json };

/** `testSuiteId` → `test_suite_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same schema with its fields named in snake_case. */
export function snakeCaseSchema(schema: JsonSchema): JsonSchema {
  return mapSchema(schema) as JsonSchema;
}

function mapSchema(node: Json): Json {
  if (Array.isArray(node)) return node.map(mapSchema);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]): [string, Json] => {
      if (keyword === 'properties') return [keyword, mapEntries(value as JsonObject, snakeCase, mapSchema)];
      if (keyword === 'required') return [keyword, (value as string[]).map(snakeCase)];
      // values, not schemas
      if (keyword === 'const' || keyword === 'enum' || keyword === 'default' || keyword === 'examples') {
        return [keyword, value];
      }
      // definitions are schemas by name, and their names are not fields
      if (keyword === '$defs') return [keyword, mapEntries(value as JsonObject, String, mapSchema)];
      return [keyword, mapSchema(value)];
    }),
  );
}

function mapEntries(
  object: JsonObject,
  key: (name: string) => string,
  value: (inner: Json) => Json,
): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, inner]) => [key(name), value(inner)]));
}

/** A value of `schema` (whose fields are camelCase) with its fields renamed, in either direction. Only what the schema
 *  names as a field is renamed: the keys of free-form JSON and of records are data and stay as they are. */
export function renameFields(value: Json, schema: JsonSchema, to: 'snake' | 'camel'): Json {
  return rename(value, [schema], schema, to);
}

/** Walks a value along every schema that may describe it. */
function rename(value: Json, schemas: readonly JsonSchema[], root: JsonSchema, to: 'snake' | 'camel'): Json {
  if (value === null || typeof value !== 'object') return value;
  const typed = schemas
    .flatMap((schema) => alternatives(schema, root))
    .filter((schema) => hasType(value, schema));
  const chosen = typed.filter((schema) => isChosen(value, schema, to));
  // a value that is none of the choices is to be refused by the operation, under the names that it has there
  const possible = chosen.length > 0 ? chosen : typed;
  if (Array.isArray(value)) {
    return value.map((entry) => rename(entry, subschemas(possible, 'items'), root, to));
  }
  const fields = new Map<string, { renamed: string; schemas: JsonSchema[] }>();
  for (const schema of possible) {
    for (const [name, field] of Object.entries((schema.properties ?? {}) as { [name: string]: JsonSchema })) {
      const [outside, renamed] = to === 'snake' ? [name, snakeCase(name)] : [snakeCase(name), name];
      const known = fields.get(outside);
      if (known === undefined) fields.set(outside, { renamed, schemas: [field] });
      else known.schemas.push(field);
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const field = fields.get(key);
      return field === undefined
        ? [key, rename(inner, subschemas(possible, 'additionalProperties'), root, to)]
        : [field.renamed, rename(inner, field.schemas, root, to)];
    }),
  );
}

/** A schema without its references and choices. */
function alternatives(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  if (typeof schema.$ref === 'string') {
    return alternatives(resolve(schema.$ref, root), root);
  }
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as JsonSchema[]);
  return choices.length === 0 ? [schema] : choices.flatMap((choice) => alternatives(choice, root));
}

function resolve(reference: string, root: JsonSchema): JsonSchema {
  const path = reference.split('/').slice(1);
  return path.reduce<JsonSchema>((node, key) => node[key] as JsonSchema, root);
}

function hasType(value: JsonObject | Json[], schema: JsonSchema): boolean {
  return (
    schema.type === undefined || [schema.type].flat().includes(Array.isArray(value) ? 'array' : 'object')
  );
}

/** Whether the fields that tell choices apart have the values of this one. */
function isChosen(value: JsonObject | Json[], schema: JsonSchema, to: 'snake' | 'camel'): boolean {
  if (Array.isArray(value)) return true;
  return Object.entries((schema.properties ?? {}) as { [name: string]: JsonSchema }).every(
    ([name, field]) => {
      const given = value[to === 'snake' ? name : snakeCase(name)];
      if (given === undefined) return true;
      if (field.const !== undefined) return field.const === given;
      return !Array.isArray(field.enum) || field.enum.includes(given);
    },
  );
}

function subschemas(schemas: readonly JsonSchema[], keyword: 'items' | 'additionalProperties'): JsonSchema[] {
  return schemas.map((schema) => schema[keyword]).filter(isSchema);
}

function isSchema(node: Json | undefined): node is JsonSchema {
  return node !== null && typeof node === 'object' && !Array.isArray(node);
}

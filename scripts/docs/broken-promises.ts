type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Schema = { [keyword: string]: Json };
export type Document = { [key: string]: Json };

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** What whoever relies on the OpenAPI document `before` would miss or be refused under `after`, each as a sentence: an
 *  operation, a field of an answer or of a request that is gone or of another kind, a value that an answer may newly be
 *  null, and whatever a request newly has to hold. Adding breaks nothing. */
export function brokenPromises(before: Document, after: Document): string[] {
  const comparison = new Comparison(before, after);
  for (const [path, item] of entries(before.paths)) {
    const now = object(object(after.paths)[path]);
    for (const method of methods) {
      const operation = object(item)[method];
      if (operation === undefined) continue;
      const name = `${method.toUpperCase()} ${path}`;
      if (now[method] === undefined) comparison.broken.push(`${name} is gone`);
      else comparison.operation(name, object(operation), object(now[method]));
    }
  }
  return comparison.broken;
}

/** Which way a value goes: what it may hold may only become more in a request, and less or more precise in an answer. */
type Way = 'request' | 'answer';

class Comparison {
  readonly broken: string[] = [];
  readonly #before: Document;
  readonly #after: Document;

  constructor(before: Document, after: Document) {
    this.#before = before;
    this.#after = after;
  }

  operation(name: string, before: Schema, after: Schema): void {
    this.#parameters(name, before, after);
    this.#contents(`${name} request`, 'request', object(before.requestBody), object(after.requestBody));
    for (const [status, response] of entries(before.responses)) {
      const now = object(after.responses)[status];
      if (now === undefined) this.broken.push(`${name} answers no more with ${status}`);
      else {
        const [was, is] = [resolve(this.#before, response), resolve(this.#after, now)];
        this.#contents(`${name} ${status}`, 'answer', was, is);
      }
    }
  }

  #parameters(name: string, before: Schema, after: Schema): void {
    const [was, is] = [parametersOf(this.#before, before), parametersOf(this.#after, after)];
    for (const [key, parameter] of was) {
      const now = is.get(key);
      if (now === undefined) this.broken.push(`${name} takes no ${key} any more`);
      else this.#schema(`${name} ${key}`, 'request', object(parameter.schema), object(now.schema));
    }
    for (const [key, parameter] of is) {
      if (parameter.required === true && was.get(key)?.required !== true) {
        this.broken.push(`${name} needs ${key} now`);
      }
    }
  }

  #contents(place: string, way: Way, before: Schema, after: Schema): void {
    if (way === 'request' && after.required === true && before.required !== true) {
      this.broken.push(`${place} needs a body now`);
    }
    for (const [type, content] of entries(before.content)) {
      const now = object(after.content)[type];
      if (now === undefined) this.broken.push(`${place} is no ${type} any more`);
      else this.#schema(place, way, object(object(content).schema), object(object(now).schema));
    }
  }

  #schema(place: string, way: Way, before: Schema, after: Schema): void {
    const [was, is] = [resolve(this.#before, before), resolve(this.#after, after)];
    this.#kinds(place, way, was, is);
    this.#properties(place, way, was, is);
    if (was.items !== undefined) this.#schema(`${place}[]`, way, object(was.items), object(is.items));
    if (typeof was.additionalProperties === 'object' && typeof is.additionalProperties === 'object') {
      this.#schema(`${place}{}`, way, object(was.additionalProperties), object(is.additionalProperties));
    }
  }

  /** What a value may be: its types, its named values, and whether nothing is said of it. */
  #kinds(place: string, way: Way, before: Schema, after: Schema): void {
    const [was, is] = [kindsOf(this.#before, before), kindsOf(this.#after, after)];
    // in an answer nothing may come that was not to be expected; a request may hold all that it could
    const [must, may] = way === 'answer' ? [is, was] : [was, is];
    if (may === null) return;
    if (must === null) this.broken.push(`${place} may be anything ${way === 'answer' ? 'now' : 'no more'}`);
    for (const kind of must ?? []) {
      // a further value of a list of names is an addition, for which whoever reads has to be ready
      if (may.has(kind) || (way === 'answer' && isName(kind) && [...may].some(isName))) continue;
      this.broken.push(`${place} may ${way === 'answer' ? `be ${kind} now` : `not be ${kind} any more`}`);
    }
    if (way === 'answer' && was !== null && is !== null) {
      for (const kind of was)
        if (kind === 'object' && !is.has(kind)) this.broken.push(`${place} is no object any more`);
    }
  }

  #properties(place: string, way: Way, before: Schema, after: Schema): void {
    const [was, is] = [fieldsOf(this.#before, before), fieldsOf(this.#after, after)];
    for (const [field, shapes] of was.fields) {
      const now = is.fields.get(field);
      const where = `${place} ${field}`;
      if (now === undefined) this.broken.push(`${where} is gone`);
      else this.#schema(where, way, union(shapes), union(now));
    }
    for (const field of way === 'request' ? is.required : was.required) {
      if (way === 'request' && !was.required.has(field)) this.broken.push(`${place} ${field} is needed now`);
      if (way === 'answer' && is.fields.has(field) && !is.required.has(field)) {
        this.broken.push(`${place} ${field} is not always there any more`);
      }
    }
  }
}

function object(value: Json | undefined): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function entries(value: Json | undefined): [string, Json][] {
  return Object.entries(object(value));
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function resolve(document: Document, value: Json): Schema {
  const schema = object(value);
  if (typeof schema.$ref !== 'string') return schema;
  const [, ...path] = schema.$ref.split('/');
  return resolve(
    document,
    path.reduce<Json>((node, key) => object(node)[key] ?? null, document),
  );
}

function parametersOf(document: Document, operation: Schema): Map<string, Schema> {
  return new Map(
    list(operation.parameters).map((parameter) => {
      const resolved = resolve(document, parameter);
      return [`${resolved.in} ${resolved.name}`, resolved];
    }),
  );
}

/** The schemas of which a value has to fit one. */
function alternatives(document: Document, schema: Schema): Schema[] {
  const resolved = resolve(document, schema);
  const branches = [...list(resolved.anyOf), ...list(resolved.oneOf)];
  return branches.length === 0
    ? [resolved]
    : branches.flatMap((branch) => alternatives(document, object(branch)));
}

function union(schemas: readonly Schema[]): Schema {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: [...schemas] };
}

/** null: it may be anything. */
function kindsOf(document: Document, schema: Schema): Set<string> | null {
  const kinds = new Set<string>();
  for (const each of alternatives(document, schema)) {
    const names = each.const !== undefined ? [each.const] : list(each.enum);
    if (names.length > 0) for (const name of names) kinds.add(JSON.stringify(name));
    else if (each.type === undefined) return null;
    else for (const type of Array.isArray(each.type) ? each.type : [each.type]) kinds.add(String(type));
  }
  return kinds;
}

const isName = (kind: string) => kind.startsWith('"');

/** The fields of the objects that a value may be, and those that each of these objects has. */
function fieldsOf(document: Document, schema: Schema) {
  const objects = alternatives(document, schema).filter(({ type }) => type === 'object');
  const fields = new Map<string, Schema[]>();
  for (const each of objects) {
    for (const [name, field] of entries(each.properties)) {
      fields.set(name, [...(fields.get(name) ?? []), object(field)]);
    }
  }
  const [first, ...others] = objects.map(({ required }) => new Set(list(required).map(String)));
  const required = new Set([...(first ?? [])].filter((name) => others.every((other) => other.has(name))));
  return { fields, required };
}

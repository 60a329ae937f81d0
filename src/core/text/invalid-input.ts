import type { z } from 'zod';
import { AssayError, type ErrorDetail } from '../errors.ts';
import { shown } from './shown-text.ts';

type Issue = z.core.$ZodIssue;

/** How many wrong fields the sentence names; `details` names more. */
const namedFields = 3;

/** The refusal of an input that its schema does not accept: a sentence, and one detail for each wrong field. */
export function invalidInput(issues: readonly Issue[], input: unknown): AssayError {
  const details = inputDetails(issues, input);
  const named = details
    .slice(0, namedFields)
    .map(({ field, message }) => (field === undefined ? `The input ${message}` : `${field} ${message}`));
  const rest = details.length - named.length;
  return new AssayError(
    'invalid_input',
    `${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`,
    details,
  );
}

/** What a schema found, as places in the caller's input: the path of each wrong field, its value and what it must be. */
export function inputDetails(issues: readonly Issue[], input: unknown): ErrorDetail[] {
  return issues.flatMap((issue) => places(issue, input, []));
}

function places(issue: Issue, input: unknown, parent: readonly PropertyKey[]): ErrorDetail[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    // what stands below a secret is no name either
    if (isSecretPath(path)) return [detail(path, input, 'holds a field that is not known', [issue])];
    return issue.keys.map((key) => ({
      field: fieldPath([...path, key]),
      // a misspelled secret stands under such a name too
      message: 'is not a known field',
    }));
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    const name = path.at(-1);
    return issue.issues.map((inner) => ({
      field: fieldPath(path),
      value: name,
      message: withValue(`has a name that ${requirement(inner, name)}`, name),
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return unionPlaces(issue.errors, input, path);
  }
  return [detail(path, input, requirement(issue, valueAt(input, path)), [issue])];
}

/** The alternative that got furthest into the value is the one its author meant; where all stop at the value itself,
 *  each says what it would accept. */
function unionPlaces(alternatives: Issue[][], input: unknown, path: PropertyKey[]): ErrorDetail[] {
  const inside = alternatives
    .filter(
      (issues) => issues.length > 0 && issues.every((issue) => issue.path.length > 0 || isKeyIssue(issue)),
    )
    .sort((left, right) => left.length - right.length)[0];
  if (inside !== undefined) return inside.flatMap((issue) => places(issue, input, path));
  const value = valueAt(input, path);
  const first = alternatives.flatMap((issues) => issues.slice(0, 1));
  const accepted = first.map((issue) => requirement(issue, value));
  return [detail(path, input, [...new Set(accepted)].join(', or '), first)];
}

function isKeyIssue(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys';
}

/** Fields whose value, and all that stands below it, is never repeated, not even to whoever sent it: refusals are shown
 *  and kept, and an agent's calls stand in its trace. */
const secretFields = /^((api[-_]?)?key|password|secret|token|env|headers)$/i;

/** Whether what stands at this place of an input, of a file or of an operation, may be a secret. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  return path.some((key) => secretFields.test(String(key)));
}

function detail(path: PropertyKey[], input: unknown, message: string, issues: readonly Issue[]): ErrorDetail {
  const value = isSecretPath(path) ? undefined : repeatable(valueAt(input, path), issues);
  return {
    ...(path.length === 0 ? {} : { field: fieldPath(path) }),
    ...(value === undefined ? {} : { value }),
    message: withValue(message, value),
  };
}

/** A value where it may be repeated: a list or an object may hold a secret, and so may an address, and a text that stands
 *  where an object with secrets belongs. */
function repeatable(value: unknown, issues: readonly Issue[]): unknown {
  if (typeof value === 'object' && value !== null) return undefined;
  if (typeof value !== 'string') return value;
  const replacesObject = issues.some(
    (issue) => issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record'),
  );
  return replacesObject || addressWithMore.test(value) ? undefined : value;
}

/** An address with a user or a query. */
const addressWithMore = /^\s*[a-z][\w+.-]*:\S*[@?#]/i;

/** Names the value unless the message does so already, or it is too large to be read in a sentence. */
function withValue(message: string, value: unknown): string {
  if (value === undefined) return message;
  const text = shown(JSON.stringify(value) ?? String(value), 60);
  return message.includes(text) ? message : `${message} (it is ${text})`;
}

function requirement(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return isDefaultMessage(issue) ? 'is needed' : issue.message;
      return isDefaultMessage(issue)
        ? `must be ${typeNames[issue.expected] ?? issue.expected}`
        : issue.message;
    case 'invalid_value':
      if (!isDefaultMessage(issue)) return issue.message;
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      if ('options' in issue && issue.options !== undefined) {
        return value === undefined
          ? `is needed: one of ${issue.options.map(String).join(', ')}`
          : `must be one of ${issue.options.map(String).join(', ')}`;
      }
      return isDefaultMessage(issue) ? 'has a form that is not known here' : issue.message;
    case 'too_small':
      return isDefaultMessage(issue) ? bound('at least', issue.minimum, issue.origin) : issue.message;
    case 'too_big':
      return isDefaultMessage(issue) ? bound('at most', issue.maximum, issue.origin) : issue.message;
    case 'invalid_format':
      return isDefaultMessage(issue) ? `must be a valid ${issue.format}` : issue.message;
    default:
      return issue.message;
  }
}

function bound(word: 'at least' | 'at most', limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${word} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `must have ${word} ${limit} entries`;
  return `must be ${word} ${limit}`;
}

const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Schemas of the product say themselves what they want; the library's own sentences are put into the same words. */
function isDefaultMessage(issue: Issue): boolean {
  return /^(Invalid (input|option|string|discriminator)|Too (small|big)|Invalid [A-Za-z0-9-]+$)/.test(
    issue.message,
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** `checks[2].tool`; a key that is no plain word stands in quotes: `deployments["my env"]`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

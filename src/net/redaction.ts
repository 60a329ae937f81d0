import type { Json } from '../core/json.ts';
import type { Redact } from '../core/ports.ts';
import { secretForms, shortestSecret } from './secret-forms.ts';

export interface Redaction {
  /** From now on the secret never shows; one shorter than six characters is not remembered. */
  remember(secret: string): void;
  /** The value with every known secret replaced by `[redacted]`, in texts and keys; the same value where none occurs. */
  redact: Redact;
}

const redacted = '[redacted]';

/** The secrets that are kept in mind; beyond it the one that was named longest ago is forgotten. */
const rememberedSecrets = 10_000;

/** Finds any number of secrets in one pass over a text: a rolling hash of as many characters as the shortest has. */
export function createRedaction(limit = rememberedSecrets): Redaction {
  const secrets = new Set<string>();
  let index: Index | null = null;

  const inText = (text: string, known: Index) => {
    const found = matches(text, known);
    return found.length === 0 ? text : replaced(text, found);
  };

  const inValue = (value: Json, known: Index): Json => {
    if (typeof value === 'string') return inText(value, known);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => inValue(item, known));
      return items.some((item, position) => item !== value[position]) ? items : value;
    }
    const keys = new Set<string>();
    let changed = false;
    const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
      const entry: [string, Json] = [distinct(inText(key, known), keys), inValue(inner, known)];
      changed ||= entry[0] !== key || entry[1] !== inner;
      return entry;
    });
    return changed ? Object.fromEntries(entries) : value;
  };

  return {
    remember(secret) {
      if (secret.length < shortestSecret) return;
      const isNew = !secrets.delete(secret);
      secrets.add(secret);
      if (!isNew) return;
      for (const oldest of secrets) {
        if (secrets.size <= limit) break;
        secrets.delete(oldest);
      }
      index = null;
    },
    redact<T extends Json>(value: T): T {
      if (secrets.size === 0) return value;
      index ??= buildIndex(secrets);
      return inValue(value, index) as T;
    },
  };
}

interface Index {
  /** Forms by the hash of their first characters. */
  forms: Map<number, string[]>;
  /** Marks the low 16 bits of those hashes: nearly every position of a text is dismissed by one look. */
  marks: Uint8Array;
}

const base = 0x01000193;
/** Takes the character that leaves the window out of the hash. */
const leaving = Array.from({ length: shortestSecret - 1 }).reduce<number>(
  (power) => Math.imul(power, base),
  1,
);

function buildIndex(secrets: Iterable<string>): Index {
  const index: Index = { forms: new Map(), marks: new Uint8Array(0x10000) };
  for (const form of new Set([...secrets].flatMap(secretForms))) {
    const hash = firstHash(form);
    index.forms.set(hash, [...(index.forms.get(hash) ?? []), form]);
    index.marks[mark(hash)] = 1;
  }
  return index;
}

function firstHash(text: string): number {
  let hash = 0;
  for (let position = 0; position < shortestSecret; position++) {
    hash = (Math.imul(hash, base) + text.charCodeAt(position)) | 0;
  }
  return hash;
}

function mark(hash: number): number {
  return (hash ^ (hash >>> 16)) & 0xffff;
}

/** Where secrets stand in the text, as [start, end) in order; overlapping ones are joined. */
function matches(text: string, { forms, marks }: Index): [number, number][] {
  const found: [number, number][] = [];
  if (text.length < shortestSecret) return found;
  let hash = firstHash(text);
  for (let start = 0; ; start++) {
    if (marks[mark(hash)] === 1) {
      for (const form of forms.get(hash) ?? []) {
        if (text.startsWith(form, start)) join(found, start, start + form.length);
      }
    }
    const next = start + shortestSecret;
    if (next >= text.length) return found;
    hash = (hash - Math.imul(text.charCodeAt(start), leaving)) | 0;
    hash = (Math.imul(hash, base) + text.charCodeAt(next)) | 0;
  }
}

function join(found: [number, number][], start: number, end: number): void {
  const last = found.at(-1);
  if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
  else found.push([start, end]);
}

function replaced(text: string, found: [number, number][]): string {
  let result = '';
  let from = 0;
  for (const [start, end] of found) {
    result += text.slice(from, start) + redacted;
    from = end;
  }
  return result + text.slice(from);
}

/** Two keys that hold secrets must not become one: the second would take the place of the first. */
function distinct(key: string, taken: Set<string>): string {
  let name = key;
  for (let count = 2; taken.has(name); count++) name = `${key} (${count})`;
  taken.add(name);
  return name;
}

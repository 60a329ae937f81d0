import type { Json } from '../core/json.ts';
import type { Redact, RedactFor } from '../core/ports.ts';
import { distinctKey } from '../core/redacted-json.ts';
import { secretForms, shortestSecret } from './secret-forms.ts';

/** A secret shorter than six characters is not remembered. What takes secrets out replaces each one that is known at that
 *  moment by `[redacted]`, in texts and keys, and gives the same value back where none occurs. */
export interface Redaction {
  /** From now on the secret of this process never shows. */
  rememberOwn(secret: string): void;
  /** From now on the secret never shows where this workspace is at work. Elsewhere it is a text like any other: what is
   *  replaced there would tell of it, and whoever may store a secret could blank the words of others. */
  remember(workspaceId: string, secret: string): void;
  redactFor: RedactFor;
  /** For what those read who run the installation: no secret of any workspace. */
  redactAll: Redact;
}

const redacted = '[redacted]';

/** The secrets of one owner that are kept in mind; beyond it the one that was named longest ago is forgotten. */
const rememberedSecrets = 10_000;

/** Combinations of workspaces whose index is kept; beyond it the one that was asked for longest ago is built again. */
const keptIndexes = 200;

/** Finds any number of secrets in one pass over a text: a rolling hash of as many characters as the shortest has. */
export function createRedaction(limit = rememberedSecrets): Redaction {
  const own = new KnownSecrets(limit);
  const byWorkspace = new Map<string, KnownSecrets>();
  const everyone = [own];
  const kept = new Map<string, Redact>();

  const ofWorkspace = (workspaceId: string) => {
    const known = byWorkspace.get(workspaceId) ?? new KnownSecrets(limit);
    if (!byWorkspace.has(workspaceId)) everyone.push(known);
    byWorkspace.set(workspaceId, known);
    return known;
  };

  return {
    rememberOwn: (secret) => own.add(secret),
    remember: (workspaceId, secret) => ofWorkspace(workspaceId).add(secret),
    redactFor(workspaceIds) {
      const key = workspaceIds.join(' ');
      const redact = kept.get(key) ?? redacting([own, ...workspaceIds.map(ofWorkspace)]);
      kept.delete(key);
      kept.set(key, redact);
      for (const oldest of kept.keys()) {
        if (kept.size <= keptIndexes) break;
        kept.delete(oldest);
      }
      return redact;
    },
    redactAll: redacting(everyone),
  };
}

class KnownSecrets {
  readonly secrets = new Set<string>();
  /** Grows with every change. */
  version = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(secret: string): void {
    if (secret.length < shortestSecret) return;
    const isNew = !this.secrets.delete(secret);
    this.secrets.add(secret);
    if (!isNew) return;
    this.version++;
    for (const oldest of this.secrets) {
      if (this.secrets.size <= this.#limit) break;
      this.secrets.delete(oldest);
    }
  }
}

/** Takes out what these know whenever it is asked; the index is built again only where one of them has changed. */
function redacting(sources: readonly KnownSecrets[]): Redact {
  let index: Index | null = null;
  let builtFor = 0;
  return <T extends Json>(value: T): T => {
    let version = 0;
    for (const source of sources) version += source.version;
    if (version === 0) return value;
    if (index === null || builtFor !== version) {
      index = buildIndex(sources.flatMap(({ secrets }) => [...secrets]));
      builtFor = version;
    }
    return inValue(value, index) as T;
  };
}

function inText(text: string, known: Index): string {
  const found = matches(text, known);
  return found.length === 0 ? text : replaced(text, found);
}

function inValue(value: Json, known: Index): Json {
  if (typeof value === 'string') return inText(value, known);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => inValue(item, known));
    return items.some((item, position) => item !== value[position]) ? items : value;
  }
  const keys = new Set<string>();
  let changed = false;
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    const entry: [string, Json] = [distinctKey(inText(key, known), keys), inValue(inner, known)];
    changed ||= entry[0] !== key || entry[1] !== inner;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : value;
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

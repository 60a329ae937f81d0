import type { Json } from '../../core/json.ts';
import { assign, type Filling, isOpen } from './filling.ts';
import type { Leaf } from './leaves.ts';
import { introducers } from './pick.ts';
import { fitted, freeValue, isListJoint, listFrom, type Pool, phraseAt, take, textBetween } from './pool.ts';
import { isStopWord } from './words.ts';

const connectors = new Set(['is', 'are', 'be', 'of', 'as', 'to', 'equals', 'set', 'being', 'like']);
/** Connectors after which even a bare word is meant as the value. */
const equating = new Set(['is', 'are', 'be', 'as', 'equals', ':', '=']);
const boundaries = new Set([
  'and',
  'with',
  'then',
  'in',
  'on',
  'for',
  'from',
  'to',
  'at',
  'by',
  'into',
  'of',
  'using',
  'where',
]);

/** Fills what the clause names: `path "/x"`, `limit: 5`, `with city Paris`, "named X". */
export function fillNamed(filling: Filling): void {
  // Longer names first, so that "entity type" is not read as "type".
  const byLength = [...filling.leaves].sort((left, right) => right.stems.length - left.stems.length);
  for (const leaf of byLength) fillByPhrase(filling, leaf, leaf.stems);
  for (const leaf of filling.leaves) fillByIntroducer(filling, leaf);
  for (const leaf of filling.leaves) {
    const last = leaf.stems.at(-1);
    const isUnique = filling.leaves.filter((other) => other.stems.at(-1) === last).length === 1;
    if (last !== undefined && leaf.stems.length > 1 && isUnique) fillByPhrase(filling, leaf, [last]);
  }
}

function fillByPhrase(filling: Filling, leaf: Leaf, stems: string[]): void {
  const { pool } = filling;
  let from = 0;
  while (isOpen(filling, leaf)) {
    const phrase = phraseAt(pool, stems, from);
    if (phrase === null) return;
    from = phrase.start + 1;
    const { at, equates } = afterConnectors(filling, leaf, phrase.end);
    const found = valueAt(filling, leaf, at) ?? numberBefore(filling, leaf, phrase.start);
    if (found !== undefined) {
      assign(filling, leaf, found.value, ...found.indexes);
      take(pool, ...range(phrase.start, phrase.end));
    } else if (equates || isIntroduced(pool, phrase.start)) {
      const words = wordsAt(filling, leaf, at);
      if (words === undefined) continue;
      assign(filling, leaf, words.value, ...words.indexes);
      take(pool, ...range(phrase.start, phrase.end));
    }
  }
}

/** "named X", "called X": the name of what the clause is about. */
function fillByIntroducer(filling: Filling, leaf: Leaf): void {
  const last = leaf.stems.at(-1);
  if (!isOpen(filling, leaf) || leaf.node.kind !== 'string' || (last !== 'nam' && last !== 'titl')) return;
  const { pool } = filling;
  const index = pool.tokens.findIndex(
    (token, at) => token.kind === 'word' && introducers.has(token.text.toLowerCase()) && !pool.taken.has(at),
  );
  if (index < 0) return;
  const found = valueAt(filling, leaf, index + 1) ?? wordsAt(filling, leaf, index + 1);
  if (found !== undefined) assign(filling, leaf, found.value, index, ...found.indexes);
}

function afterConnectors(filling: Filling, leaf: Leaf, start: number): { at: number; equates: boolean } {
  let at = start;
  let equates = false;
  for (; at < start + 3; at++) {
    const token = filling.pool.tokens[at];
    const text = token === undefined || token.kind === 'value' ? '' : token.text.toLowerCase();
    const isMarked = token?.kind === 'mark' && (text === ':' || text === '=');
    const isWord = token?.kind === 'word' && (connectors.has(text) || introducers.has(text));
    const startsOther = filling.leaves.some(
      (other) => other !== leaf && other.stems.length === 1 && other.stems[0] === text,
    );
    if ((!isMarked && !isWord) || startsOther) break;
    equates ||= equating.has(text);
  }
  return { at, equates };
}

interface Found {
  value: Json;
  indexes: number[];
}

function valueAt(filling: Filling, leaf: Leaf, at: number): Found | undefined {
  const { pool } = filling;
  const { node } = leaf;
  if (node.kind === 'boolean') return booleanAt(pool, at);
  if (freeValue(pool, at) === null) return undefined;
  if (node.kind === 'list') {
    const kind = node.children[0]?.kind ?? 'any';
    const indexes = listFrom(pool, at);
    const values = indexes.map((index) => readAs(pool, index, kind));
    return values.every((value) => value !== undefined) && indexes.length > 0
      ? { value: values as Json[], indexes }
      : undefined;
  }
  const value = node.kind === 'enum' ? choiceOf(node.choices, pool, at) : readAs(pool, at, node.kind);
  return value === undefined ? undefined : { value, indexes: [at] };
}

/** The value of a token as a kind takes it; a number for a text keeps the digits that were written. */
export function readAs(pool: Pool, index: number, kind: string): Json | undefined {
  const token = freeValue(pool, index);
  if (token === null) return undefined;
  return token.form === 'number' && kind === 'string'
    ? textBetween(pool, index, index)
    : fitted(token.value, kind);
}

function choiceOf(choices: Json[], pool: Pool, index: number): Json | undefined {
  const text = String(freeValue(pool, index)?.value).toLowerCase();
  return choices.find((choice) => String(choice).toLowerCase() === text);
}

function booleanAt(pool: Pool, at: number): Found | undefined {
  const token = pool.tokens[at];
  const text =
    token?.kind === 'word' || token?.kind === 'value'
      ? String('text' in token ? token.text : token.value)
      : '';
  if (/^(?:true|yes|on|enabled)$/i.test(text)) return { value: true, indexes: [at] };
  return /^(?:false|no|off|disabled)$/i.test(text) ? { value: false, indexes: [at] } : undefined;
}

/** "5 results" for a property `results`. */
function numberBefore(filling: Filling, leaf: Leaf, start: number): Found | undefined {
  if (leaf.node.kind !== 'number' && leaf.node.kind !== 'integer') return undefined;
  const token = freeValue(filling.pool, start - 1);
  const value = token?.form === 'number' ? fitted(token.value, leaf.node.kind) : undefined;
  return value === undefined ? undefined : { value, indexes: [start - 1] };
}

function isIntroduced(pool: Pool, start: number): boolean {
  const before = pool.tokens[start - 1];
  return (
    (before?.kind === 'word' && /^(?:with|using|set|where|and|of)$/i.test(before.text)) || isListJoint(before)
  );
}

/** Words that are not in quotes, up to the next boundary or the next property. */
function wordsAt(filling: Filling, leaf: Leaf, start: number): Found | undefined {
  const { pool } = filling;
  if (leaf.node.kind !== 'string' && leaf.node.kind !== 'any') return undefined;
  let end = start;
  while (end < pool.tokens.length && isPlainWord(filling, leaf, end)) end++;
  while (end > start && isStop(pool, end - 1)) end--;
  if (end === start) return undefined;
  return { value: textBetween(pool, start, end - 1), indexes: range(start, end) };
}

function isPlainWord(filling: Filling, leaf: Leaf, index: number): boolean {
  const token = filling.pool.tokens[index];
  if (token?.kind !== 'word' || filling.pool.taken.has(index) || boundaries.has(token.text.toLowerCase()))
    return false;
  return !filling.leaves.some(
    (other) => other !== leaf && phraseAt(filling.pool, other.stems, index)?.start === index,
  );
}

function isStop(pool: Pool, index: number): boolean {
  const token = pool.tokens[index];
  return token?.kind === 'word' && isStopWord(token.text);
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_none, offset) => start + offset);
}

import type { Json } from '../../core/json.ts';
import { assign, type Filling, isOpen } from './filling.ts';
import type { Leaf } from './leaves.ts';
import { readAs } from './named.ts';
import { freeValue, freeValues, isListJoint, listFrom, phraseAt, textBetween } from './pool.ts';
import { contentStems, isStopWord, partsOf, sense, stem } from './words.ts';

/** Fills choices and switches whose words stand in the clause: "sorted by size", "without images". */
export function fillMentioned(filling: Filling): void {
  for (const leaf of filling.leaves) {
    if (!isOpen(filling, leaf)) continue;
    if (leaf.node.kind === 'enum') fillChoice(filling, leaf);
    else if (leaf.node.kind === 'boolean') fillSwitch(filling, leaf);
  }
}

function fillChoice(filling: Filling, leaf: Leaf): void {
  const longestFirst = [...leaf.node.choices].sort(
    (left, right) => String(right).length - String(left).length,
  );
  for (const choice of longestFirst) {
    const indexes = spokenChoice(filling, leaf, String(choice).toLowerCase());
    if (indexes === null) continue;
    assign(filling, leaf, choice, ...indexes);
    return;
  }
}

function spokenChoice(filling: Filling, leaf: Leaf, text: string): number[] | null {
  const { pool, tool } = filling;
  const quoted = freeValues(pool).find(
    (index) => String(freeValue(pool, index)?.value).toLowerCase() === text,
  );
  if (quoted !== undefined) return [quoted];
  const spoken = wordsExactly(filling, partsOf(text));
  if (spoken === null || leaf.required) return spoken;
  // A word of the tool's own name says which tool is meant, not which choice; save in "sorted by size".
  const isOwnName = partsOf(text).every((part) => tool.name.includes(stem(part)));
  const before = pool.tokens[(spoken[0] ?? 0) - 1];
  return !isOwnName || (before?.kind === 'word' && /^(?:by|in)$/i.test(before.text)) ? spoken : null;
}

function wordsExactly(filling: Filling, parts: readonly string[]): number[] | null {
  const { pool } = filling;
  const spoken = pool.tokens.flatMap((token, index) =>
    token.kind === 'word' && !pool.taken.has(index)
      ? partsOf(token.text).map((part) => ({ part, index }))
      : [],
  );
  const start = spoken.findIndex((_word, at) =>
    parts.every((part, offset) => spoken[at + offset]?.part === part),
  );
  return start < 0 || parts.length === 0
    ? null
    : spoken.slice(start, start + parts.length).map((word) => word.index);
}

function fillSwitch(filling: Filling, leaf: Leaf): void {
  const { pool } = filling;
  const phrase = phraseAt(pool, contentStems(leaf.node.parts));
  if (phrase === null) return;
  const near = pool.tokens.slice(Math.max(0, phrase.start - 2), phrase.start);
  const isOff = near.some(
    (token) => token.kind === 'word' && /^(?:no|not|without|non|disable|skip)$/i.test(token.text),
  );
  assign(filling, leaf, !isOff, phrase.start);
}

/** Gives the free values to the required places that take their type, in order; paths go to places that name one. */
export function fillRequired(filling: Filling): void {
  for (const isLastResort of [false, true]) {
    for (const leaf of filling.leaves) {
      if (!leaf.required || !isOpen(filling, leaf)) continue;
      const index = bestValue(filling, leaf, isLastResort);
      if (index !== undefined) give(filling, leaf, index);
    }
  }
}

/** Gives what is left to optional places: the only one of its type, or the one whose words stand in the clause. */
export function fillOptional(filling: Filling): void {
  const open = filling.leaves.filter((leaf) => !leaf.required && isOpen(filling, leaf) && takesValues(leaf));
  for (const index of freeValues(filling.pool)) {
    const fitting = open.filter((leaf) => isOpen(filling, leaf) && takes(filling, leaf, index, false));
    const ranked = fitting
      .map((leaf) => ({ leaf, words: spokenWords(filling, leaf) }))
      .sort((left, right) => right.words - left.words);
    const best = ranked[0];
    if (best === undefined || (ranked.length > 1 && best.words === (ranked[1]?.words ?? 0))) continue;
    if (ranked.length === 1 || best.words > 0) give(filling, best.leaf, index);
  }
}

function give(filling: Filling, leaf: Leaf, index: number): void {
  const { pool } = filling;
  if (leaf.node.kind !== 'list') {
    assign(filling, leaf, readAs(pool, index, leaf.node.kind) ?? null, index);
    return;
  }
  const kind = leaf.node.children[0]?.kind ?? 'any';
  const indexes = listFrom(pool, index).filter((at) => readAs(pool, at, kind) !== undefined);
  assign(
    filling,
    leaf,
    indexes.map((at) => readAs(pool, at, kind) as Json),
    ...indexes,
  );
}

function takesValues(leaf: Leaf): boolean {
  return leaf.node.kind !== 'enum' && leaf.node.kind !== 'boolean' && leaf.node.kind !== 'object';
}

/** Whether the value is of the place's own type; as a last resort digits may stand for text. */
function takes(filling: Filling, leaf: Leaf, index: number, isLastResort: boolean): boolean {
  const { node } = leaf;
  if (!takesValues(leaf)) return false;
  const kind = node.kind === 'list' ? (node.children[0]?.kind ?? 'any') : node.kind;
  const token = freeValue(filling.pool, index);
  if (token === null || token.form === 'json' || readAs(filling.pool, index, kind) === undefined)
    return false;
  if (node.format === 'uri' && !/^[a-z][a-z0-9+.-]*:/i.test(String(token.value))) return false;
  const isNumber = token.form === 'number';
  return isLastResort || kind === 'any' || isNumber === (kind === 'number' || kind === 'integer');
}

function bestValue(filling: Filling, leaf: Leaf, isLastResort: boolean): number | undefined {
  const others = filling.leaves.filter((other) => other !== leaf && other.required && isOpen(filling, other));
  return freeValues(filling.pool)
    .filter((index) => takes(filling, leaf, index, isLastResort))
    .map((index) => ({ index, rank: affinity(filling, leaf, index, others) }))
    .sort((left, right) => right.rank - left.rank || left.index - right.index)[0]?.index;
}

const pathStems = new Set(
  ['path', 'file', 'filenam', 'directory', 'folder', 'dir', 'sourc', 'destination', 'url', 'uri', 'link'].map(
    stem,
  ),
);

/** A path is at home in a place that names one, and elsewhere only where no such place is open. */
function affinity(filling: Filling, leaf: Leaf, index: number, others: Leaf[]): number {
  const text = String(freeValue(filling.pool, index)?.value);
  const looksLikePath = !text.includes('*') && /[/\\]|^\S+\.\w{1,5}$/.test(text);
  if (namesPath(leaf)) return looksLikePath ? 1 : 0;
  return looksLikePath && others.some(namesPath) ? -1 : 0;
}

function namesPath(leaf: Leaf): boolean {
  return leaf.stems.some((word) => pathStems.has(word));
}

/** How many words of a place's name and description stand in the clause. */
function spokenWords(filling: Filling, leaf: Leaf): number {
  const own = new Set([...leaf.stems, ...partsOf(leaf.node.description).map(stem)]);
  const spoken = filling.pool.tokens.flatMap((token) =>
    token.kind === 'word' ? partsOf(token.text).map(stem) : [],
  );
  return [...new Set(spoken)].filter((word) => own.has(word) && !filling.tool.name.includes(word)).length;
}

const objectPrepositions = /^(?:for|about|of|in|on|:)$/i;

/** The last required text takes words that are not in quotes: what follows the tool's own words or a preposition. */
export function fillFreeText(filling: Filling): void {
  const open = filling.leaves.filter(
    (leaf) => leaf.required && isOpen(filling, leaf) && leaf.node.kind === 'string',
  );
  const [leaf] = open;
  if (leaf === undefined || open.length > 1) return;
  const runs = plainRuns(filling);
  const preceded = runs.findLast((run) => {
    const before = filling.pool.tokens[run.start - 1];
    return before !== undefined && before.kind !== 'value' && objectPrepositions.test(before.text);
  });
  const run = preceded ?? runs[0];
  if (run !== undefined) assign(filling, leaf, textBetween(filling.pool, run.start, run.end - 1), run.start);
}

/** Runs of words that neither the tool's name nor a stop word at the edge explains. */
function plainRuns(filling: Filling): { start: number; end: number }[] {
  const { pool, tool } = filling;
  const runs: { start: number; end: number }[] = [];
  let current: { start: number; end: number } | null = null;
  pool.tokens.forEach((token, index) => {
    const isFree = token.kind === 'word' && !pool.taken.has(index) && !isListJoint(token);
    const stems = isFree ? partsOf(token.text).map(stem) : [];
    const isOwn = stems.some((word) => tool.nameSenses.includes(sense(word)) || tool.properties.has(word));
    if (!isFree || isOwn || objectPrepositions.test(token.text)) current = null;
    else if (current !== null) {
      if (!isStopWord(token.text)) current.end = index + 1;
    } else if (!isStopWord(token.text)) {
      current = { start: index, end: index + 1 };
      runs.push(current);
    }
  });
  return runs;
}

/** English as the offline model reads it: which words carry meaning, which forms and which words mean the same. */

const stopWords = new Set(
  (
    'a an the and or of for in on at to from by with as is are was be been being it its this that these those there here ' +
    'i me my we us our you your he she they them their please can could would should will shall may might must do does did ' +
    'so just also too then now what which who how when where why if not no any some so up out into about using use via per ' +
    'tell want need like let give'
  ).split(' '),
);

/** Words that people use for the same act or thing. Only general English; each group stands for its first word. */
const synonymGroups = [
  ['list', 'show', 'display', 'enumerate'],
  ['directory', 'folder', 'dir'],
  ['delete', 'remove', 'erase', 'drop'],
  ['create', 'make', 'add', 'new'],
  ['search', 'find', 'look', 'locate', 'query'],
  ['get', 'fetch', 'retrieve', 'obtain'],
  ['read', 'open', 'view'],
  ['write', 'save', 'store'],
  ['update', 'change', 'modify', 'edit'],
  ['run', 'start', 'execute', 'launch', 'trigger'],
  ['send', 'post', 'submit'],
  ['move', 'rename'],
  ['sum', 'total'],
  ['image', 'picture', 'photo'],
];
const synonyms = new Map(
  synonymGroups.flatMap((group) => group.map((word) => [stem(word), stem(group[0] ?? word)] as const)),
);

/** Cuts the endings of inflection, so that "listing", "lists" and "list" are one word. */
export function stem(word: string): string {
  let base = word;
  if (base.length > 4 && base.endsWith('ies')) base = `${base.slice(0, -3)}y`;
  else if (base.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.length > 3 && base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1);
  for (const ending of ['ing', 'ed']) {
    const rest = base.slice(0, -ending.length);
    if (!base.endsWith(ending) || rest.length < 3 || !/[aeiouy]/.test(rest)) continue;
    base = /([bdgklmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest;
    break;
  }
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base;
}

/** The word that stands for all of its synonyms. */
export function sense(stemmed: string): string {
  return synonyms.get(stemmed) ?? stemmed;
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase());
}

/** The same names and descriptions come with every model call. */
const knownParts = new Map<string, readonly string[]>();
const knownPartsLimit = 2_000;

/** Lower-case parts of a text or identifier: `sortBy`, `sort_by` and "Sort by" give the same two. */
export function partsOf(text: string): readonly string[] {
  const known = knownParts.get(text);
  if (known !== undefined) return known;
  if (knownParts.size >= knownPartsLimit) knownParts.clear();
  const parts = text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
  knownParts.set(text, parts);
  return parts;
}

/** The stems that carry meaning, in order; all of them where every one is a stop word. */
export function contentStems(parts: readonly string[]): string[] {
  const kept = parts.filter((part) => !stopWords.has(part));
  return (kept.length > 0 ? kept : parts).map(stem);
}

import type { Catalogue, ReadTool } from './catalogue.ts';
import type { Token } from './tokens.ts';
import { isStopWord, partsOf, sense, stem } from './words.ts';

/** The tool that a clause asks for. `coverage` (0..1): how much of the tool's name the clause says. `leads`: the clause
 *  begins with the word that the tool's name begins with. */
export interface Pick {
  tool: ReadTool;
  score: number;
  coverage: number;
  leads: boolean;
}

/** Below this a clause asks for no tool. */
const threshold = 0.3;
const synonymMatch = 0.9;
const weights = {
  coverage: 0.55,
  explained: 0.35,
  leads: 0.1,
  property: 0.7,
  description: 0.5,
  deprecated: 0.02,
  missing: 0.03,
};

/** The best tool for a clause by the overlap of words, or null. Among near equals, one whose arguments the clause can
 *  fill is better; the earlier one wins a tie. */
export function pickTool(clause: Token[], catalogue: Catalogue): Pick | null {
  const words = requestStems(clause);
  if (words.length === 0 || isRefusal(clause)) return null;
  const mentions = new Set(
    clause.flatMap((token) => (token.kind === 'word' ? [partsOf(token.text).join(' ')] : [])),
  );
  const values = clause.filter((token) => token.kind === 'value').length;
  const rank = ({ score, tool }: Pick) => score - weights.missing * Math.max(0, tool.needs - values);
  let best: Pick | null = null;
  for (const tool of catalogue.tools) {
    const pick = scored(tool, words, mentions, catalogue);
    if (pick.score < threshold || pick.coverage === 0) continue;
    if (best === null || rank(pick) > rank(best)) best = pick;
  }
  return best;
}

/** The stems of a clause's own words that carry meaning, in order; values are not words. */
export function requestStems(clause: Token[]): string[] {
  const parts = clause.flatMap((token) => (token.kind === 'word' ? partsOf(token.text) : []));
  return [
    ...new Set(
      parts.filter((part) => part.length > 1 && !isStopWord(part) && !introducers.has(part)).map(stem),
    ),
  ];
}

/** Words that only say that a name follows. */
export const introducers = new Set(['named', 'called', 'titled']);

function isRefusal(clause: Token[]): boolean {
  const [first, second] = clause.flatMap((token) =>
    token.kind === 'word' ? [token.text.toLowerCase()] : [],
  );
  return first === "don't" || first === 'don’t' || first === 'never' || (first === 'do' && second === 'not');
}

function scored(tool: ReadTool, words: string[], mentions: Set<string>, catalogue: Catalogue): Pick {
  const senses = words.map(sense);
  const named = (index: number): number =>
    words.includes(tool.name[index] ?? '')
      ? 1
      : senses.includes(tool.nameSenses[index] ?? '')
        ? synonymMatch
        : 0;
  const coverage = share(tool.name, (_word, index) => named(index), catalogue);
  const explained = share(words, (word) => relevance(word, tool), catalogue);
  const leads = sense(words[0] ?? '') === tool.nameSenses[0];
  const isNamedExactly = tool.nameParts.length > 1 && mentions.has(tool.nameParts.join(' '));
  return {
    tool,
    coverage,
    leads,
    score:
      weights.coverage * coverage +
      weights.explained * explained +
      (leads ? weights.leads : 0) -
      (tool.deprecated ? weights.deprecated : 0) +
      (isNamedExactly ? 1 : 0),
  };
}

function relevance(word: string, tool: ReadTool): number {
  if (tool.name.includes(word)) return 1;
  if (tool.nameSenses.includes(sense(word))) return synonymMatch;
  if (tool.properties.has(word)) return weights.property;
  if (tool.description.has(word)) return weights.description;
  return tool.descriptionSenses.has(sense(word)) ? weights.description * synonymMatch : 0;
}

/** The share of the words' weight that is matched. */
function share(
  words: string[],
  matched: (word: string, index: number) => number,
  catalogue: Catalogue,
): number {
  let total = 0;
  let sum = 0;
  words.forEach((word, index) => {
    const weight = catalogue.weight(word);
    total += weight;
    sum += weight * matched(word, index);
  });
  return total === 0 ? 0 : sum / total;
}

import type { Json, JsonObject } from '../../core/json.ts';
import type { Leaf } from './leaves.ts';
import type { Token } from './tokens.ts';
import { partsOf, stem } from './words.ts';

/** What the same request has led to so far: the arguments of its calls and what they returned, oldest first. */
export interface Earlier {
  args: JsonObject[];
  results: string[];
}

const pronouns = /^(?:it|its|that|them|their|there|this|these|those|same)$/i;

/** A required value that the clause does not give: from a result that names it, or from an earlier call where the clause
 *  points back ("then read it"). */
export function carriedOver(leaf: Leaf, clause: Token[], earlier: Earlier): Json | undefined {
  const pointsBack = clause.some((token) => token.kind === 'word' && pronouns.test(token.text));
  if (pointsBack) {
    for (const args of earlier.args.toReversed()) {
      const found = fieldOf(args, leaf.stems);
      if (found !== undefined) return found;
    }
  }
  for (const result of earlier.results.toReversed()) {
    const parsed = parsedJson(result);
    const found =
      fieldOf(parsed, leaf.stems) ?? (leaf.stems.at(-1) === 'id' ? fieldOf(parsed, ['id']) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The plain value under a key that reads the same, outermost first. */
function fieldOf(value: Json, stems: string[]): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const entries = Array.isArray(value) ? [] : Object.entries(value);
  const own = entries.find(([key]) => partsOf(key).map(stem).join(' ') === stems.join(' '))?.[1];
  if (own !== undefined && (own === null || typeof own !== 'object')) return own ?? undefined;
  for (const inner of Object.values(value)) {
    const found = fieldOf(inner, stems);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null; // plain text names no fields
  }
}

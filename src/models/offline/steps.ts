import type { Catalogue } from './catalogue.ts';
import { type Pick, pickTool, requestStems } from './pick.ts';
import type { Token } from './tokens.ts';

/** One thing that a request asks for, with the tool that can do it. */
export interface Clause {
  tokens: Token[];
  pick: Pick;
}

const sequenceWords = new Set(['then', 'afterwards', 'finally']);
/** How much of a tool's name a part must say to count as a request of its own. */
const clearCoverage = 0.5;

/** What a request asks for: steps in order, each with the clauses that may run together. "Then", a full stop and a new
 *  line put things in order; "and" and a comma join what is independent. Parts that ask for no tool are left out. */
export function stepsOf(tokens: Token[], catalogue: Catalogue): Clause[][] {
  const steps: Clause[][] = [];
  for (const segment of segmentsOf(tokens)) {
    let step: Clause[] = [];
    for (const { clause, joined } of clausesOf(segment, catalogue)) {
      const pick = pickTool(clause, catalogue);
      if (pick === null) continue;
      if (!joined && step.length > 0) {
        steps.push(step);
        step = [];
      }
      step.push({ tokens: clause, pick });
    }
    if (step.length > 0) steps.push(step);
  }
  return steps;
}

function segmentsOf(tokens: Token[]): Token[][] {
  const segments: Token[][] = [[]];
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    const isAfterThat =
      token.kind === 'word' && isWord(before, 'after') && /^(?:that|this)$/i.test(token.text);
    const isBoundary = token.kind === 'word' && sequenceWords.has(token.text.toLowerCase());
    if (isAfterThat) segments.at(-1)?.pop();
    if (isAfterThat || isBoundary) segments.push([]);
    else segments.at(-1)?.push(token);
  });
  return segments;
}

/** Cuts a segment where the words after a soft boundary are a request of their own; else they go on with the last. */
function clausesOf(segment: Token[], catalogue: Catalogue): { clause: Token[]; joined: boolean }[] {
  const clauses: { clause: Token[]; joined: boolean }[] = [];
  for (const { part, joined } of partsAtBoundaries(segment)) {
    const last = clauses.at(-1);
    if (last === undefined) clauses.push({ clause: part, joined: false });
    else if (standsAlone(part, last.clause, catalogue, joined)) clauses.push({ clause: part, joined });
    else last.clause.push(...part);
  }
  return clauses;
}

/** Parts between soft boundaries, each with the boundary's own token in front. */
function partsAtBoundaries(segment: Token[]): { part: Token[]; joined: boolean }[] {
  const parts: { part: Token[]; joined: boolean }[] = [{ part: [], joined: false }];
  for (const token of segment) {
    const joins = isMark(token, ',') || isWord(token, 'and');
    const ends = token.kind === 'mark' && /^[.!?;\n]$/.test(token.text);
    const current = parts.at(-1);
    const isFresh = current?.part.every((inner) => inner.kind === 'mark' || isWord(inner, 'and')) ?? true;
    if (joins || ends) {
      if (isFresh && current !== undefined) current.joined &&= joins;
      else parts.push({ part: [], joined: joins });
    }
    parts.at(-1)?.part.push(token);
  }
  return parts;
}

function standsAlone(part: Token[], previous: Token[], catalogue: Catalogue, joined: boolean): boolean {
  const pick = pickTool(part, catalogue);
  if (pick === null || pick.coverage < clearCoverage) return false;
  if (joined && !pick.leads && pick.coverage < 1) return false;
  // "and content …" after a tool that takes a content is no request for the content.
  const first = requestStems(part)[0];
  return first === undefined || pickTool(previous, catalogue)?.tool.properties.has(first) !== true;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === text;
}

function isMark(token: Token, text: string): boolean {
  return token.kind === 'mark' && token.text === text;
}

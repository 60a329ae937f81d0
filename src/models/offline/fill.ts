import type { Json, JsonObject } from '../../core/json.ts';
import { carriedOver, type Earlier } from './carry.ts';
import type { ReadTool } from './catalogue.ts';
import { type Filling, isOpen } from './filling.ts';
import { fillFreeText, fillMentioned, fillOptional, fillRequired } from './guess.ts';
import { assembled, compositesOf, isUnder, leavesOf } from './leaves.ts';
import { fillNamed } from './named.ts';
import { fitted, freeValue, freeValues, isListJoint, take } from './pool.ts';
import type { SchemaNode } from './schema.ts';
import type { Token } from './tokens.ts';
import { partsOf, stem } from './words.ts';

/** The arguments of a clause for a tool: one set, or several where a list of values meets a tool that takes one. */
export function argumentsFor(tool: ReadTool, clause: Token[], text: string, earlier: Earlier): JsonObject[] {
  const filling: Filling = {
    tool,
    pool: { tokens: clause, text, taken: new Set() },
    leaves: leavesOf(tool.schema),
    values: new Map(),
    source: new Map(),
  };
  fillJson(filling);
  fillNamed(filling);
  fillMentioned(filling);
  fillRequired(filling);
  fillOptional(filling);
  fillFreeText(filling);
  for (const leaf of filling.leaves) {
    if (!leaf.required || !isOpen(filling, leaf)) continue;
    const value = carriedOver(leaf, clause, earlier);
    if (value !== undefined) filling.values.set(leaf.node, value);
  }
  return [assembled(tool.schema, filling.values), ...repeated(filling)];
}

/** JSON that was written out goes to the property named before it, else to the first that takes its type. */
function fillJson(filling: Filling): void {
  const { pool, tool } = filling;
  for (const index of freeValues(pool)) {
    const token = freeValue(pool, index);
    if (token?.form !== 'json') continue;
    const open = compositesOf(tool.schema).filter((node) => !filling.values.has(node));
    const before = pool.tokens.slice(Math.max(0, index - 3), index);
    const words = before.flatMap((near) => (near.kind === 'word' ? partsOf(near.text).map(stem) : []));
    const named = open.find((node) => node.parts.every((part) => words.includes(stem(part))));
    const [node, value] =
      [named, ...open]
        .filter((candidate) => candidate !== undefined)
        .map((candidate) => [candidate, asComposite(token.value, candidate)] as const)
        .find(([, fitting]) => fitting !== undefined) ?? [];
    if (node === undefined || value === undefined) continue;
    for (const leaf of filling.leaves) if (isUnder(leaf, node)) filling.values.set(leaf.node, value);
    filling.values.set(node, value);
    take(pool, index);
  }
}

function asComposite(value: Json, node: SchemaNode): Json | undefined {
  const direct = fitted(value, node.kind);
  if (direct !== undefined) return direct;
  const isOneElement = node.kind === 'list' && node.children[0]?.kind === 'object';
  return isOneElement && fitted(value, 'object') !== undefined ? [value] : undefined;
}

/** A tool that takes one value is asked once for each of "a", "b" and "c". */
function repeated(filling: Filling): JsonObject[] {
  const { pool, tool } = filling;
  for (const [node, source] of filling.source) {
    if (node.kind !== 'string' || freeValue({ ...pool, taken: new Set() }, source) === null) continue;
    const more: JsonObject[] = [];
    for (let index = source + 1; index < pool.tokens.length; index++) {
      const token = pool.tokens[index];
      const free = freeValue(pool, index);
      const value = free === null ? undefined : fitted(free.value, 'string');
      if (value !== undefined) {
        take(pool, index);
        more.push(assembled(tool.schema, new Map([...filling.values, [node, value]])));
      } else if (!isListJoint(token) && !isOwnNoun(token, tool)) break;
    }
    if (more.length > 0) return more;
  }
  return [];
}

/** "the file" in: read the file "a" and the file "b". */
function isOwnNoun(token: Token | undefined, tool: ReadTool): boolean {
  return (
    token?.kind === 'word' &&
    (/^the$/i.test(token.text) || partsOf(token.text).every((part) => tool.name.includes(stem(part))))
  );
}

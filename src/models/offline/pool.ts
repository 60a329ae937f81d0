import type { Json } from '../../core/json.ts';
import type { Token } from './tokens.ts';
import { partsOf, stem } from './words.ts';

/** The tokens of one clause while arguments are taken from them: each token serves one argument only. */
export interface Pool {
  tokens: Token[];
  /** The request that the tokens were cut from. */
  text: string;
  taken: Set<number>;
}

export type ValueToken = Extract<Token, { kind: 'value' }>;

/** The value at `index`, where there is one that is still free. */
export function freeValue(pool: Pool, index: number): ValueToken | null {
  const token = pool.tokens[index];
  return token?.kind === 'value' && !pool.taken.has(index) ? token : null;
}

/** Indexes of all free values, in order. */
export function freeValues(pool: Pool): number[] {
  return pool.tokens.flatMap((_token, index) => (freeValue(pool, index) === null ? [] : [index]));
}

export function take(pool: Pool, ...indexes: number[]): void {
  for (const index of indexes) pool.taken.add(index);
}

/** A word or mark between two values of a list: a comma, "and", "or". */
export function isListJoint(token: Token | undefined): boolean {
  if (token?.kind === 'mark') return token.text === ',';
  return token?.kind === 'word' && /^(?:and|or|&)$/i.test(token.text);
}

/** Indexes of free values that stand together from `start` on, such as "a", "b" and "c". */
export function listFrom(pool: Pool, start: number): number[] {
  const group: number[] = [];
  for (let index = start; index < pool.tokens.length; index++) {
    if (freeValue(pool, index) !== null) group.push(index);
    else if (!isListJoint(pool.tokens[index]) || group.length === 0) break;
  }
  return group;
}

/** Where the stems stand next to each other as words: the first index, and the one after the last. */
export function phraseAt(pool: Pool, stems: string[], from = 0): { start: number; end: number } | null {
  if (stems.length === 0) return null;
  for (let start = from; start < pool.tokens.length; start++) {
    let rest = stems;
    let end = start;
    while (rest.length > 0) {
      const token = pool.tokens[end];
      if (token?.kind !== 'word' || pool.taken.has(end)) break;
      const parts = partsOf(token.text).map(stem);
      if (parts.length === 0 || parts.some((part, index) => part !== rest[index])) break;
      rest = rest.slice(parts.length);
      end++;
    }
    if (rest.length === 0) return { start, end };
  }
  return null;
}

/** The stretch of the request from one token to another, as it was written. */
export function textBetween(pool: Pool, first: number, last: number): string {
  const start = pool.tokens[first]?.start;
  const end = pool.tokens[last]?.end;
  return start === undefined || end === undefined ? '' : pool.text.slice(start, end);
}

/** A value as the kind of a schema takes it, or undefined where it does not fit. */
export function fitted(value: Json, kind: string): Json | undefined {
  if (kind === 'any') return value;
  if (kind === 'string') {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  }
  if (kind === 'number' || kind === 'integer') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
    return kind === 'integer' && !Number.isInteger(number) ? undefined : number;
  }
  if (kind === 'list') return Array.isArray(value) ? value : undefined;
  if (kind === 'object')
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  return undefined;
}

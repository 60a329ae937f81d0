import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { fillVariables, variablesIn } from '../core/documents/variables.ts';
import { isSecretPath } from '../core/text/invalid-input.ts';
import { fileLimits } from './limits.ts';

/** Reading the values of one file: what they are filled with, and where what is wrong goes. */
export interface ValueReader {
  variables: Readonly<Record<string, string>>;
  /** Whether the value at this path is a secret: it is kept as `{ template, value? }`. */
  isSecret(path: readonly PropertyKey[]): boolean;
  /** Hears of the variables that were filled where nothing is kept secret. */
  filled(path: readonly PropertyKey[], variables: readonly string[]): void;
  /** The node has a position; `inside` is a text to be found in it, which may stand on a later line. */
  problem(node: Node, path: readonly PropertyKey[], message: string, inside?: string): void;
  /** Counted over the whole file. */
  used: { aliases: number; values: number; characters: number };
}

/** Thrown where going on would cost more than a file may. */
class TooLarge extends Error {}

/** The plain value of a document: texts filled with variables, anchors followed, keys as texts. Reports everything that
 *  is wrong with it; then the value is not to be used. */
export function documentValue(root: Node, reader: ValueReader): unknown {
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  const path: PropertyKey[] = [];
  let at = root;

  function read(node: Node | null): unknown {
    if (node === null) return null;
    at = node;
    spend('values', 1);
    if (path.length > fileLimits.depth) {
      throw new TooLarge(`lists and objects stand more than ${fileLimits.depth} deep in each other`);
    }
    if (isAlias(node)) return follow(node.source, node);
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isScalar(node)) return scalar(node);
    open.add(node);
    const value = isMap<Node, Node>(node) ? map(node.items) : isSeq<Node>(node) ? list(node.items) : null;
    open.delete(node);
    return value;
  }

  function follow(anchor: string, alias: Node): unknown {
    spend('aliases', 1);
    const target = anchors.get(anchor);
    const written = isSecretPath(path) ? 'a text that begins with * and stands in no quotes' : `*${anchor}`;
    if (target === undefined) reader.problem(alias, path, `${written} names no anchor above it`);
    else if (open.has(target)) reader.problem(alias, path, `${written} stands inside of what it names`);
    else return read(target);
    return undefined;
  }

  function list(items: Node[]): unknown[] {
    return items.map((item, index) => within(index, item));
  }

  function map(items: { key: Node; value: Node | null }[]): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const item of items) {
      const key = keyText(item.key);
      if (key === undefined) continue;
      if (key === '__proto__') reader.problem(item.key, path, '"__proto__" cannot be used as a name here');
      else if (Object.hasOwn(value, key)) reader.problem(item.key, [...path, key], 'stands here twice');
      else value[key] = within(key, item.value);
    }
    return value;
  }

  function within(key: PropertyKey, node: Node | null): unknown {
    path.push(key);
    const value = read(node);
    path.pop();
    return value;
  }

  function keyText(node: Node): string | undefined {
    if (isScalar(node) && node.value !== null) {
      const key = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
      return filled(node, key, [...path, key]);
    }
    reader.problem(node, path, 'a name before ":" must be plain text');
    return undefined;
  }

  function scalar(node: Scalar): unknown {
    if (typeof node.value === 'string') {
      if (reader.isSecret(path) && variablesIn(node.value).length > 0) return secret(node.value);
      return filled(node, node.value, path);
    }
    if (typeof node.value === 'number') checkNumber(node, node.value);
    return node.value;
  }

  function secret(template: string): { template: string; value?: string } {
    const { text, unset } = fillVariables(template, reader.variables);
    spend('characters', text.length);
    return unset.length > 0 ? { template } : { template, value: text };
  }

  function filled(node: Node, raw: string, where: readonly PropertyKey[]): string {
    const { text, unset } = fillVariables(raw, reader.variables);
    spend('characters', text.length);
    reader.filled(where, variablesIn(raw));
    for (const name of unset) {
      reader.problem(node, where, `needs the variable ${name}, which is not set`, `\${${name}}`);
    }
    if (text.includes('\0')) reader.problem(node, where, 'holds a NUL character, which cannot be stored');
    if (!text.isWellFormed()) reader.problem(node, where, 'holds half of a Unicode surrogate pair');
    return text;
  }

  function checkNumber(node: Scalar, value: number): void {
    const written = node.source ?? '';
    const said = isSecretPath(path) ? 'this number' : written;
    if (!Number.isFinite(value)) reader.problem(node, path, `${said} is no number that can be stored`);
    else if (!Number.isSafeInteger(value) && /^-?\d+$/.test(written) && String(value) !== written) {
      reader.problem(node, path, `${said} has more digits than a number keeps: put it in quotes`);
    }
  }

  function spend(what: keyof ValueReader['used'], amount: number): void {
    reader.used[what] += amount;
    if (reader.used[what] > fileLimits[what]) {
      throw new TooLarge(`the file comes to more than ${fileLimits[what]} ${what} here`);
    }
  }

  try {
    return read(root);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    reader.problem(at, [], error.message);
    return undefined;
  }
}

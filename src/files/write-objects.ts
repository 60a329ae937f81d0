import { Document, type Scalar, visit } from 'yaml';
import { escapeVariables } from '../core/documents/variables.ts';
import { fieldPath } from '../core/text/invalid-input.ts';
import type { FileKind } from './read-objects.ts';

/** One object as `readObjects` gives it; a secret is `{ template }`. */
export interface WrittenObject {
  kind: string;
  body: object;
}

/** The text that `readObjects` reads back to the same objects. Keys stay in the order given. */
export function writeObjects(
  objects: readonly WrittenObject[],
  kinds: ReadonlyMap<string, FileKind>,
): string {
  return objects
    .map(({ kind, body }) => {
      const written = escaped(body, [], kinds.get(kind)?.secretFields ?? []);
      return documentText({ kind, ...(written as object) });
    })
    .join('---\n');
}

function escaped(value: unknown, path: readonly PropertyKey[], secretFields: readonly string[]): unknown {
  if (typeof value === 'string') return escapeVariables(value);
  if (typeof value !== 'object' || value === null) return value;
  if (secretFields.includes(fieldPath(path.slice(0, -1)))) return (value as { template: string }).template;
  if (Array.isArray(value)) return value.map((item, index) => escaped(item, [...path, index], secretFields));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      escapeVariables(key),
      escaped(inner, [...path, key], secretFields),
    ]),
  );
}

function documentText(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node) {
      if (typeof node.value === 'string' && /[\n\r]/.test(node.value)) {
        (node as Scalar).type = key !== 'key' && isPlainBlock(node.value) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
      }
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

/** Lines as people write them. Those that begin or end oddly, or hold what an editor does not show, need escapes. */
function isPlainBlock(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    /^\S/.test(text) &&
    lines.at(-1) !== '' &&
    lines.every((line) => !/\s$|(?!\t)\p{Cc}|[\p{Zl}\p{Zp}\ufeff]/u.test(line))
  );
}

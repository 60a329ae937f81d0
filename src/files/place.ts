import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { fillVariables } from '../core/documents/variables.ts';
import type { ErrorDetail } from '../core/errors.ts';
import { fieldPath } from '../core/text/invalid-input.ts';

/** Where a document stands in a file. */
export interface Place {
  file: string;
  /** The line of a field such as `checks[2].tool`; for one that is missing, of what it is missing in. */
  line(field?: string): number;
}

export function placeOf(
  file: string,
  root: Node,
  lineAt: (offset: number) => number,
  variables: Readonly<Record<string, string>>,
): Place {
  const start = (node: Node) => lineAt(node.range?.[0] ?? 0);

  function find(node: Node | null, path: PropertyKey[], line: number, field: string): number {
    for (const [key, position, value] of entries(node)) {
      const inner = [...path, key];
      const name = fieldPath(inner);
      if (field === name) return start(position);
      if (field.startsWith(`${name}.`) || field.startsWith(`${name}[`)) {
        return find(value, inner, start(position), field);
      }
    }
    return line;
  }

  function entries(node: Node | null): [PropertyKey, Node, Node | null][] {
    if (isSeq<Node>(node)) return node.items.map((item, index) => [index, item, item]);
    if (!isMap<Node, Node>(node)) return [];
    return node.items
      .filter(({ key }) => isScalar(key))
      .map(({ key, value }) => [
        fillVariables(String(isScalar(key) ? key.value : ''), variables).text,
        key,
        value,
      ]);
  }

  return { file, line: (field) => (field === undefined ? start(root) : find(root, [], start(root), field)) };
}

/** The problem with its place in the file. */
export function placed(place: Place, problem: ErrorDetail): ErrorDetail {
  return { ...problem, file: place.file, line: place.line(problem.field) };
}

import type { Json, JsonObject } from '../../core/json.ts';
import type { SchemaNode } from './schema.ts';
import { stem } from './words.ts';

/** A place in a tool's arguments that takes one value, or one list of plain values. */
export interface Leaf {
  node: SchemaNode;
  stems: string[];
  /** It and everything above it is required. */
  required: boolean;
}

/** The places to fill: required ones first, each group in the schema's order. A list of objects counts as one object. */
export function leavesOf(root: SchemaNode): Leaf[] {
  const leaves = collect(root, true);
  return [...leaves.filter((leaf) => leaf.required), ...leaves.filter((leaf) => !leaf.required)];
}

function collect(node: SchemaNode, required: boolean): Leaf[] {
  const inner = innerObject(node);
  if (inner === null) return node.key === '' ? [] : [{ node, stems: node.parts.map(stem), required }];
  return inner.children.flatMap((child) => collect(child, required && child.required));
}

/** The object whose properties are filled one by one: the node itself or the element of a list of objects. */
function innerObject(node: SchemaNode): SchemaNode | null {
  if (node.kind === 'object') return node.children.length > 0 ? node : null;
  const element = node.kind === 'list' ? node.children[0] : undefined;
  return element?.kind === 'object' && element.children.length > 0 ? element : null;
}

/** Nodes that take a whole JSON object or list: those with properties inside come before what they hold. */
export function compositesOf(node: SchemaNode): SchemaNode[] {
  const own =
    node.key !== '' && (node.kind === 'list' || node.kind === 'object' || node.kind === 'any') ? [node] : [];
  return [...own, ...(innerObject(node)?.children ?? []).flatMap(compositesOf)];
}

/** All leaves under a node, itself among them. */
export function isUnder(leaf: Leaf, node: SchemaNode): boolean {
  return leaf.node === node || (innerObject(node)?.children ?? []).some((child) => isUnder(leaf, child));
}

/** The arguments made of the values found. Inside an object that is given, required lists are empty rather than absent. */
export function assembled(root: SchemaNode, values: Map<SchemaNode, Json>): JsonObject {
  return (built(root, values) ?? {}) as JsonObject;
}

function built(node: SchemaNode, values: Map<SchemaNode, Json>): Json | undefined {
  const value = values.get(node);
  if (value !== undefined) return value;
  const inner = innerObject(node);
  if (inner === null) return node.required ? node.fallback : undefined;
  const entries = inner.children.map((child) => [child, built(child, values)] as const);
  if (
    !entries.some(
      ([child, found]) => found !== undefined && (values.has(child) || innerObject(child) !== null),
    )
  ) {
    return node.key === '' ? Object.fromEntries(present(entries)) : undefined;
  }
  const object = Object.fromEntries(
    present(
      entries.map(([child, found]) => [
        child,
        found === undefined && child.required && child.kind === 'list' && child.mayBeEmpty && node.key !== ''
          ? []
          : found,
      ]),
    ),
  );
  return node.kind === 'list' ? [object] : object;
}

function present(entries: (readonly [SchemaNode, Json | undefined])[]): [string, Json][] {
  return entries.flatMap(([child, found]) =>
    found === undefined ? [] : [[child.key, found] as [string, Json]],
  );
}

import type { Json } from '../../core/json.ts';
import type { ReadTool } from './catalogue.ts';
import type { Leaf } from './leaves.ts';
import { type Pool, take } from './pool.ts';
import type { SchemaNode } from './schema.ts';

/** Arguments in the making: what was found for each place, and the token it was taken from. */
export interface Filling {
  tool: ReadTool;
  pool: Pool;
  leaves: Leaf[];
  values: Map<SchemaNode, Json>;
  source: Map<SchemaNode, number>;
}

/** Notes the value of a leaf and takes its tokens. */
export function assign(filling: Filling, leaf: Leaf, value: Json, ...indexes: number[]): void {
  filling.values.set(leaf.node, value);
  if (indexes[0] !== undefined) filling.source.set(leaf.node, indexes[0]);
  take(filling.pool, ...indexes);
}

export function isOpen(filling: Filling, leaf: Leaf): boolean {
  return !filling.values.has(leaf.node);
}

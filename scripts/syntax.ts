import type { Expression, ImportSpecifier, ModuleDeclaration, TsType } from '@swc/core';
import { parseFileSync } from '@swc/core';

export type SyntaxNode = Expression | ModuleDeclaration | ImportSpecifier | TsType;

/** Every node of a TypeScript file's syntax tree with the nodes around it, nearest first. Throws on a syntax error. */
export function* nodesOf(file: string): Generator<{ node: SyntaxNode; around: SyntaxNode[] }> {
  yield* walk(
    parseFileSync(file, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'es2024' }),
    [],
  );
}

function* walk(value: unknown, around: SyntaxNode[]): ReturnType<typeof nodesOf> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walk(item, around);
  } else if (value !== null && typeof value === 'object') {
    const isNode = 'type' in value && typeof value.type === 'string';
    const node = value as SyntaxNode;
    if (isNode) yield { node, around };
    for (const inner of Object.values(value)) yield* walk(inner, isNode ? [node, ...around] : around);
  }
}

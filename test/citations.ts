import { globSync } from 'node:fs';
import path from 'node:path';
import type { Argument, Expression } from '@swc/core';
import { nodesOf, type SyntaxNode } from '../scripts/syntax.ts';
import type { RequirementId } from './requirements.ts';
import { problemOfIds } from './verifies.ts';

/** A test that proves requirements, by its own words. */
export interface Citation {
  file: string;
  title: string;
  ids: RequirementId[];
}

export interface Citations {
  citations: Citation[];
  /** Calls of `verifies` that count for nothing, each as a sentence that names the file. */
  problems: string[];
}

const TEST_FILES = ['src/**/*.test.ts', 'test/**/*.test.ts'];

/** Reads, without running them, what the tests of a checkout say they prove. */
export function readCitations(checkout: string): Citations {
  const found: Citations = { citations: [], problems: [] };
  for (const file of globSync(TEST_FILES, { cwd: checkout }).sort()) {
    for (const { node, around } of nodesOf(path.join(checkout, file))) {
      const problem = node.type === 'ImportSpecifier' ? problemOfImport(node) : undefined;
      if (problem) found.problems.push(`${file}: ${problem}`);
      if (node.type !== 'CallExpression' || nameOf(node.callee) !== 'verifies') continue;
      const read = readCall(node.arguments, around);
      if (typeof read === 'string') found.problems.push(`${file}: ${read}`);
      else found.citations.push({ file, ...read });
    }
  }
  return found;
}

function readCall(args: Argument[], around: SyntaxNode[]): Omit<Citation, 'file'> | string {
  const [title = '', ...ids] = args.map(({ expression }) => textOf(expression));
  if (ids.some((id) => id === undefined)) return `"${title}" cites an id that is not written out as text`;
  const problem = problemOfIds(ids as string[]) ?? problemOfPlace(around);
  return problem ? `"${title}" ${problem}` : { title, ids: ids as RequirementId[] };
}

/** A citation counts only as the title of a test that runs. */
function problemOfPlace(around: SyntaxNode[]): string | undefined {
  const calls = around.map((node) => (node.type === 'CallExpression' ? namesOf(node.callee) : []));
  if (calls[0]?.[0] !== 'test' && calls[0]?.[0] !== 'it') return 'is not the title of a test';
  const idle = calls.flat().find((name) => ['skip', 'skipIf', 'runIf', 'todo', 'fails'].includes(name));
  return idle && `is the title of a test that may not run (${idle})`;
}

function problemOfImport(specifier: SyntaxNode & { type: 'ImportSpecifier' }): string | undefined {
  const renamed = 'imported' in specifier && specifier.imported?.value === 'verifies';
  return renamed ? 'imports verifies under another name, so its calls cannot be read' : undefined;
}

/** `test.for([…])` → test, for. */
function namesOf(callee: SyntaxNode | { type: 'Super' | 'Import' }): string[] {
  if (callee.type === 'CallExpression') return namesOf(callee.callee);
  if (callee.type === 'MemberExpression') return [...namesOf(callee.object), nameOf(callee.property) ?? ''];
  return [nameOf(callee) ?? ''];
}

function nameOf(node: { type: string }): string | undefined {
  return node.type === 'Identifier' ? (node as SyntaxNode & { type: 'Identifier' }).value : undefined;
}

function textOf(expression: Expression): string | undefined {
  if (expression.type === 'StringLiteral') return expression.value;
  if (expression.type !== 'TemplateLiteral') return undefined;
  return expression.quasis.map((part) => part.raw).join('…');
}

import { agentKind } from './agent.ts';
import { environmentKind } from './environment.ts';
import { mcpServerKind } from './mcp-server.ts';
import type { AnyObjectKind } from './object-kind.ts';
import { promptKind } from './prompt.ts';
import { skillKind } from './skill.ts';
import { testCaseKind } from './test-case.ts';
import { testSuiteKind } from './test-suite.ts';

/** Every kind of object that files describe, each after those that it refers to. A new kind is one file beside this one
 *  and one line here. */
export const objectKindsInOrder: readonly AnyObjectKind[] = [
  environmentKind,
  promptKind,
  skillKind,
  mcpServerKind,
  agentKind,
  testCaseKind,
  testSuiteKind,
];

export const objectKindByName: ReadonlyMap<string, AnyObjectKind> = new Map(
  objectKindsInOrder.map((kind) => [kind.kind, kind]),
);

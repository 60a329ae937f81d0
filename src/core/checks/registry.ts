import { z } from 'zod';
import type { CheckFinding, CheckKind, ObservedName } from '../check.ts';
import type { Trace } from '../trace-view.ts';
import { endedAs } from './ended-as.ts';
import { noWriteBefore } from './no-write-before.ts';
import { objectAbsent } from './object-absent.ts';
import { objectExists } from './object-exists.ts';
import { skillNotUsed } from './skill-not-used.ts';
import { skillUsed } from './skill-used.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolOrder } from './tool-order.ts';

// A new kind of check is one file beside this one and one line here.
const kinds = [
  toolCalled,
  toolNotCalled,
  toolOrder,
  noWriteBefore,
  skillUsed,
  skillNotUsed,
  endedAs,
  objectExists,
  objectAbsent,
] as const;

type Kind = (typeof kinds)[number];
export type CheckDefinition = z.infer<Kind['schema']>;
export type CheckType = CheckDefinition['type'];

/** Every kind of check by its `type`. */
export const checkKinds = Object.fromEntries(kinds.map((kind) => [kind.type, kind])) as {
  [K in Kind as K['type']]: K;
};
export const checkTypes: readonly CheckType[] = kinds.map((kind) => kind.type);

const schemas = kinds.map((kind) => kind.schema) as [Kind['schema'], ...Kind['schema'][]];

/** A check as a case holds it. Unknown kinds and unknown keys are refused by name. */
export const checkDefinition = z.discriminatedUnion('type', schemas);

/** Evaluates one check on what it may see of a trace. */
export function evaluateCheck(trace: Trace, definition: CheckDefinition): CheckFinding {
  return kindOf(definition).evaluate(trace, definition);
}

/** What the check demands, in words. */
export function checkSentence(definition: CheckDefinition): string {
  return kindOf(definition).sentence(definition);
}

/** The workspace objects that have to be observed before and after an execution for these checks, each once. */
export function observedNames(definitions: readonly CheckDefinition[]): ObservedName[] {
  const named = definitions.flatMap((definition) => kindOf(definition).observe?.(definition) ?? []);
  return [...new Map(named.map((each) => [`${each.object} ${each.name}`, each])).values()];
}

/** The tools and skills that these checks name, each once. */
export function namesIn(definitions: readonly CheckDefinition[]): { tools: string[]; skills: string[] } {
  const named = definitions.map((definition) => kindOf(definition).names?.(definition) ?? {});
  return {
    tools: [...new Set(named.flatMap(({ tools = [] }) => tools))],
    skills: [...new Set(named.flatMap(({ skills = [] }) => skills))],
  };
}

/** Whether the check looks at the workspace around the whole conversation instead of at what happened in it. */
export function observesWorkspace(definition: CheckDefinition): boolean {
  return kindOf(definition).observe !== undefined;
}

function kindOf(definition: CheckDefinition): CheckKind<Kind['schema']> {
  return checkKinds[definition.type];
}

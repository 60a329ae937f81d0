import { z } from 'zod';
import { checkDefinition } from '../checks/registry.ts';
import { conversationSchema } from './conversation.ts';
import { nameSchema } from './name.ts';

const repeatLimit = 100;

/** What a stored case says, apart from whom it tests and where. */
export const testCaseDefinition = z
  .strictObject({
    conversation: conversationSchema,
    /** Conversations of this case in one run. */
    repeat: z.int().min(1).max(repeatLimit).default(1),
    /** How many of them must pass. */
    pass: z.union([z.literal('all'), z.strictObject({ atLeast: z.int().min(1) })]).default('all'),
    /** Judged by the AI evaluator. */
    expectedResult: z.string().min(1).optional(),
    checks: z.array(checkDefinition).default([]),
  })
  .refine(({ pass, repeat }) => pass === 'all' || pass.atLeast <= repeat, {
    path: ['pass', 'atLeast'],
    error: (issue) => `must be at most repeat, which is ${(issue.input as { repeat: number }).repeat}`,
  });
export type TestCaseDefinition = z.infer<typeof testCaseDefinition>;

export const testCaseDocument = testCaseDefinition.extend({
  name: nameSchema,
  /** Name or id. */
  agent: z.string().min(1, 'must name an agent'),
  environment: z.string().min(1, 'must name an environment'),
  /** `auto`, or the name or id of a version of that agent. */
  agentVersion: z.string().min(1).default('auto'),
});
export type TestCaseDocument = z.infer<typeof testCaseDocument>;

export const testSuiteDocument = z.strictObject({
  name: nameSchema,
  /** Ids or names, in order. */
  testCaseIds: z.array(z.string().min(1)),
});
export type TestSuiteDocument = z.infer<typeof testSuiteDocument>;

/** The checks of the whole case, then those of its golden turns. */
export function everyCheck({ checks, conversation }: TestCaseDefinition): TestCaseDefinition['checks'] {
  return conversation.type === 'golden'
    ? [...checks, ...conversation.turns.flatMap((turn) => turn.checks)]
    : checks;
}

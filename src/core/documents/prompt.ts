import { z } from 'zod';
import { nameSchema } from './name.ts';

/** A piece of instructions that several agents share. */
export const promptDocument = z.strictObject({ name: nameSchema, body: z.string() });
export type PromptDocument = z.infer<typeof promptDocument>;

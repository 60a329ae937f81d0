import { z } from 'zod';
import { nameSchema } from './name.ts';
import { textSchema } from './text.ts';

/** A piece of instructions that several agents share. */
export const promptDocument = z.strictObject({ name: nameSchema, body: textSchema });
export type PromptDocument = z.infer<typeof promptDocument>;

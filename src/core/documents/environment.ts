import { z } from 'zod';
import { nameSchema } from './name.ts';

/** Where agents are deployed. Behind a live one are real people and systems: nothing is ever mocked there. */
export const environmentDocument = z.strictObject({ name: nameSchema, live: z.boolean().default(false) });
export type EnvironmentDocument = z.infer<typeof environmentDocument>;

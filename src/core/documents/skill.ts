import { z } from 'zod';
import { nameSchema } from './name.ts';
import { textSchema } from './text.ts';

/** Instructions that an agent loads when the description fits what it is asked. */
export const skillDocument = z.strictObject({
  name: nameSchema,
  description: textSchema.refine((text) => text.trim() !== '', 'must say when the skill is to be used'),
  body: textSchema,
});
export type SkillDocument = z.infer<typeof skillDocument>;

import { z } from 'zod';
import { nameSchema } from './name.ts';

/** Instructions that an agent loads when the description fits what it is asked. */
export const skillDocument = z.strictObject({
  name: nameSchema,
  description: z.string().refine((text) => text.trim() !== '', 'must say when the skill is to be used'),
  body: z.string(),
});
export type SkillDocument = z.infer<typeof skillDocument>;

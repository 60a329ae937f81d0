import { z } from 'zod';

export const nameLimit = 200;

/** A name as people type it: not blank, no control characters, no spaces around it. */
export const nameSchema = z
  .string()
  .max(nameLimit, `must have at most ${nameLimit} characters`)
  .refine((name) => name.trim() !== '', 'must not be blank')
  .refine((name) => name.trim() === name, 'must not begin or end with spaces')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not hold control characters');

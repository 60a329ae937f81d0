import { z } from 'zod';

/** A text of any length that is stored to the letter. */
export const textSchema = z
  .string()
  .refine((text) => !text.includes('\0'), 'must not hold the character NUL')
  .refine((text) => text.isWellFormed(), 'must not hold half of a Unicode surrogate pair');

import { z } from 'zod';

export const nameLimit = 200;

// an id is always meant as one
const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A name as people type it: not blank, no control characters, no spaces around it. */
export const nameSchema = z
  .string()
  .max(nameLimit, `must have at most ${nameLimit} characters`)
  .refine((name) => name.trim() !== '', 'must not be blank')
  .refine((name) => name.trim() === name || name.trim() === '', 'must not begin or end with spaces')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not hold control characters')
  .refine((name) => name.isWellFormed(), 'must not hold half of a Unicode surrogate pair')
  // an address is read without them
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."')
  .refine((name) => !looksLikeId.test(name), 'must not look like an id');

/** The name or the id of an object. */
export const referenceSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(nameLimit, `must have at most ${nameLimit} characters`);

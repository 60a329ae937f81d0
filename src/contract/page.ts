import { z } from 'zod';

/** Input of every list: keyset pages of at most 200. */
export const pageInput = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().optional(),
});

/** A text by which a list is narrowed. */
export const filterText = z
  .string()
  .max(200, 'must have at most 200 characters')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters');

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

import { AssayError } from '../core/errors.ts';

export interface PageInput {
  limit: number;
  cursor?: string | undefined;
}

/** A page of a list that is ordered by name. `list` is asked for one more than the page holds. */
export async function pageByName<Item extends { name: string }>(
  { limit, cursor }: PageInput,
  list: (from: { after: string | undefined; limit: number }) => Promise<Item[]>,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const found = await list({ after: cursor === undefined ? undefined : nameOf(cursor), limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items, nextCursor: isMore ? Buffer.from(last.name).toString('base64url') : null };
}

function nameOf(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (Buffer.from(name).toString('base64url') === cursor && !/\p{Cc}/u.test(name)) return name;
  throw unknownCursor(cursor);
}

export function unknownCursor(cursor: string): AssayError {
  const message = 'must be the cursor that an earlier page gave for the next one';
  return new AssayError('invalid_input', `cursor ${message}.`, [{ field: 'cursor', value: cursor, message }]);
}

import { validate as isUuid } from 'uuid';
import { AssayError } from '../core/errors.ts';

export interface PageInput {
  limit: number;
  cursor?: string | undefined;
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** Where a list goes on: after the object with this value of what it is ordered by, and this id. */
export interface After {
  value: string;
  id: string;
}

/** A page of a list. `list` is asked for one more than the page holds, each with its `position` in the order. */
export async function pageOf<Item extends { id: string; position: string }>(
  { limit, cursor }: PageInput,
  list: (after: After | undefined, limit: number) => Promise<Item[]>,
): Promise<Page<Omit<Item, 'position'>>> {
  const found = await list(cursor === undefined ? undefined : placeOf(cursor), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(({ position: _, ...item }) => item),
    nextCursor: found.length > limit && last !== undefined ? cursorOf(last.position, last.id) : null,
  };
}

function cursorOf(value: string, id: string): string {
  return Buffer.from(`${id} ${value}`).toString('base64url');
}

function placeOf(cursor: string): After {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const id = text.slice(0, 36);
  const value = text.slice(37);
  if (isUuid(id) && cursorOf(value, id) === cursor && !/\p{Cc}/u.test(value)) return { value, id };
  throw unknownCursor(cursor);
}

export function unknownCursor(cursor: string): AssayError {
  const message = 'must be the cursor that an earlier page gave for the next one';
  return new AssayError('invalid_input', `cursor ${message}.`, [{ field: 'cursor', value: cursor, message }]);
}

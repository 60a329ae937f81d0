import { validate as isUuid } from 'uuid';
import { AssayError } from '../../core/errors.ts';

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

/** What a list is ordered by. A cursor is good for lists of the same order alone. */
interface ListOrder {
  name: string;
  /** Whether a text can be a position in it. */
  holds(position: string): boolean;
}

const anyOrder: ListOrder = { name: '', holds: () => true };

/** A page of a list. `list` is asked for one more than the page holds, each with its `position` in the order. Throws
 *  `invalid_input` where the cursor is none of this order. */
export async function pageOf<Item extends { id: string; position: string }>(
  { limit, cursor }: PageInput,
  list: (after: After | undefined, limit: number) => Promise<Item[]>,
  order = anyOrder,
): Promise<Page<Omit<Item, 'position'>>> {
  const found = await list(cursor === undefined ? undefined : placeOf(cursor, order), limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(({ position: _, ...item }) => item),
    nextCursor: found.length > limit && last !== undefined ? cursorOf(order, last) : null,
  };
}

function cursorOf({ name }: ListOrder, { id, position }: { id: string; position: string }): string {
  return Buffer.from(`${name} ${id} ${position}`).toString('base64url');
}

function placeOf(cursor: string, order: ListOrder): After {
  const [, id = '', value = ''] =
    /^\S* (\S+) (.*)$/su.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const isOurs = isUuid(id) && cursorOf(order, { id, position: value }) === cursor;
  if (isOurs && order.holds(value) && !/\p{Cc}/u.test(value)) return { value, id };
  throw unknownCursor(cursor);
}

export function unknownCursor(cursor: string): AssayError {
  const message = 'must be the cursor that an earlier page gave for the next one, in the same order';
  return new AssayError('invalid_input', `cursor ${message}.`, [{ field: 'cursor', value: cursor, message }]);
}

/** A page of a list in the order of its ids: the last one of a page is where the next one goes on. Throws `invalid_input`
 *  where the cursor is no id. */
export async function pageById<Item>(
  { limit, cursor }: PageInput,
  list: (after: string | undefined, limit: number) => Promise<Item[]>,
  idOf: (item: Item) => string,
): Promise<Page<Item>> {
  if (cursor !== undefined && !isUuid(cursor)) throw unknownCursor(cursor);
  const found = await list(cursor, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? idOf(last) : null };
}

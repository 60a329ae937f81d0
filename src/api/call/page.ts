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

/** How a list writes where its next page begins, and reads that again. `after` gives null for what is no cursor of the
 *  list. */
interface Cursors<Item, Place> {
  after(cursor: string): Place | null | Promise<Place | null>;
  of(lastItem: Item): string;
}

/** A page of a list, which is asked for one more than the page holds. Throws `invalid_input` where the cursor is none of
 *  this list. */
export async function pageBy<Item, Place>(
  { limit, cursor }: PageInput,
  cursors: Cursors<Item, Place>,
  list: (after: Place | undefined, limit: number) => Promise<Item[]>,
): Promise<Page<Item>> {
  const after = cursor === undefined ? undefined : await cursors.after(cursor);
  if (after === null) throw unknownCursor(cursor);
  const found = await list(after, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? cursors.of(last) : null };
}

/** A page of a list whose items say their `position` in its order. */
export async function pageOf<Item extends { id: string; position: string }>(
  input: PageInput,
  list: (after: After | undefined, limit: number) => Promise<Item[]>,
  order = anyOrder,
): Promise<Page<Omit<Item, 'position'>>> {
  const cursors = {
    after: (cursor: string) => placeOf(cursor, order),
    of: (last: Item) => cursorOf(order, last),
  };
  const { items, nextCursor } = await pageBy(input, cursors, list);
  return { items: items.map(({ position: _, ...item }) => item), nextCursor };
}

/** A page of a list in the order of its ids: the last one of a page is where the next one goes on. */
export function pageById<Item>(
  input: PageInput,
  list: (after: string | undefined, limit: number) => Promise<Item[]>,
  idOf: (item: Item) => string,
): Promise<Page<Item>> {
  return pageBy(input, { after: (cursor) => (isUuid(cursor) ? cursor : null), of: idOf }, list);
}

function cursorOf({ name }: ListOrder, { id, position }: { id: string; position: string }): string {
  return Buffer.from(`${name} ${id} ${position}`).toString('base64url');
}

function placeOf(cursor: string, order: ListOrder): After | null {
  const [, id = '', value = ''] =
    /^\S* (\S+) (.*)$/su.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const isOurs = isUuid(id) && cursorOf(order, { id, position: value }) === cursor;
  if (isOurs && order.holds(value) && !/\p{Cc}/u.test(value)) return { value, id };
  return null;
}

function unknownCursor(cursor: string | undefined): AssayError {
  const message = 'must be the cursor that an earlier page gave for the next one, in the same order';
  return new AssayError('invalid_input', `cursor ${message}.`, [{ field: 'cursor', value: cursor, message }]);
}

import type { NounOrder } from '../../contract/noun.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import { listNamed, type Named, type NamedRow, type NamedTable } from '../../store/named.ts';
import type { ApiContext } from '../call/context.ts';
import { type Page, pageOf } from '../call/page.ts';

export interface ListInput {
  limit: number;
  cursor?: string | undefined;
  search?: string | undefined;
  sort: NounOrder;
}

/** What a noun adds to its list. */
interface Listing<Item> {
  /** Which objects may be in it at all; missing: every one. */
  narrow?(transaction: WorkspaceTransaction, workspaceId: string): Promise<readonly string[] | undefined>;
  /** What is said of each object beside the usual, in the same order. */
  items(transaction: WorkspaceTransaction, workspaceId: string, rows: readonly NamedRow[]): Promise<Item[]>;
}

/** A page of the unarchived objects of the workspace. */
export function listObjects<Item extends object>(
  { program, workspace }: ApiContext,
  table: NamedTable,
  { limit, cursor, search, sort }: ListInput,
  { narrow, items }: Listing<Item>,
): Promise<Page<NamedRow & Item>> {
  return program.database.inSnapshot(workspace.id, async (transaction) => {
    const ids = await narrow?.(transaction, workspace.id);
    const descending = sort.startsWith('-');
    const by = sort.endsWith('name') ? 'name' : 'updated_at';
    const order = { name: sort, holds: by === 'name' ? () => true : isMicroseconds };
    const page = await pageOf(
      { limit, cursor },
      (after, most) =>
        listNamed(transaction, workspace.id, table, { by, descending, after, limit: most }, { search, ids }),
      order,
    );
    const more = await items(transaction, workspace.id, page.items);
    return {
      items: page.items.map((row, index) => ({ ...row, ...(more[index] as Item) })),
      nextCursor: page.nextCursor,
    };
  });
}

/** Says of each object of a list what follows from what is stored of it. */
export function fromStored<Stored extends Named, Item>(
  read: (
    transaction: WorkspaceTransaction,
    workspaceId: string,
    names: readonly string[],
  ) => Promise<Stored[]>,
  item: (stored: Stored) => Item,
): Listing<Item>['items'] {
  return async (transaction, workspaceId, rows) => {
    const names = rows.map(({ name }) => name);
    const stored = new Map((await read(transaction, workspaceId, names)).map((each) => [each.id, each]));
    return rows.map(({ id }) => item(stored.get(id) as Stored));
  };
}

function isMicroseconds(position: string): boolean {
  return /^\d{1,16}$/.test(position);
}

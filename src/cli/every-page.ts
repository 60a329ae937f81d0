import type { Output } from './output.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

type ReadPage<Item> = (page: { limit: number; cursor?: string }) => Promise<Page<Item>>;

/** Every item of a list that comes in pages. */
export async function everyPage<Item>(read: ReadPage<Item>): Promise<Item[]> {
  return (await firstItems(read, Number.POSITIVE_INFINITY)).items;
}

/** The first `most` items of a list that comes in pages, and where it goes on. */
export async function firstItems<Item>(read: ReadPage<Item>, most: number): Promise<Page<Item>> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read({
      limit: Math.min(200, most - items.length),
      ...(cursor === null ? {} : { cursor }),
    });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < most);
  return { items, nextCursor: cursor };
}

/** Says where a list ends before its end, as `--limit` has it. */
export function noteMore(output: Output, { nextCursor }: Page<unknown>, limit: number): void {
  if (nextCursor !== null) output.note(`There are more than ${limit}: list them with a higher --limit.`);
}

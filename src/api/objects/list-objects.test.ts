import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { callsOf, namedByNouns, nouns } from '../../../test/nouns.ts';
import { type NounOrder, nounOrders } from '../../contract/noun.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  await world.apply(namedByNouns);
});
afterAll(() => world.close());

type Listed = Awaited<ReturnType<ReturnType<typeof callsOf>['list']>>['items'][number];

/** Every page of prompts, in order. */
async function pages(
  input: { limit: number; sort?: NounOrder; search?: string },
  between = async () => {},
): Promise<Listed[][]> {
  const found: Listed[][] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Listed[]; nextCursor: string | null } = await world
      .client()
      .prompts.list({ ...input, ...(cursor === null ? {} : { cursor }) });
    found.push(page.items);
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return found;
}

const byText = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

describe('a list of a thousand', () => {
  const words = ['aa', 'Aa', 'aA', 'AA', 'é', 'É', '50% off', 'under_score', '😀', 'z', 'back\\slash'];
  const names = Array.from({ length: 1000 }, (_, index) => {
    const word = words[index % words.length] as string;
    return `${word}${index < words.length ? '' : ` ${index}`}`;
  });
  beforeAll(async () => {
    // all of a file are written at one moment, so that only their ids tell them apart
    for (const part of [names.slice(0, 600), names.slice(600)]) {
      await world.apply(
        part.map((name) => JSON.stringify({ kind: 'prompt', name, body: 'b' })).join('\n---\n'),
      );
    }
  });

  test.each(nounOrders.flatMap((sort) => [200, 7].map((limit) => [sort, limit] as const)))(
    'by %s, %i at a time, has each once and in order',
    async (sort, limit) => {
      const all = await pages({ limit, sort });
      expect(all.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
      const items = all.flat();
      expect(items).toHaveLength(1000);
      const rows = await world.database.system
        .selectFrom('prompt')
        .select(['id', 'name', 'updated_at'])
        .execute();
      const times = new Set(rows.map(({ updated_at }) => updated_at.getTime()));
      expect(times.size).toBe(2);
      const sign = sort.startsWith('-') ? -1 : 1;
      const expected = rows.toSorted((left, right) => {
        const by = sort.endsWith('name')
          ? byText(left.name, right.name)
          : left.updated_at.getTime() - right.updated_at.getTime();
        return sign * (by || byText(left.id, right.id));
      });
      expect(items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    },
  );

  test('is not shifted by what is written while it is read', async () => {
    const { prompts } = world.client();
    const created: string[] = [];
    const seen = (
      await pages({ limit: 100 }, async () => {
        // before and after the place where the list goes on
        for (const name of [`!${created.length}`, `~~${created.length}`]) {
          created.push((await prompts.create({ name, body: 'b' })).id);
        }
      })
    ).flat();
    const old = seen.filter(({ id }) => !created.includes(id));
    expect(new Set(old.map(({ id }) => id)).size).toBe(1000);
    expect(old).toHaveLength(1000);
    for (const id of created) await prompts.archive({ id });
  });

  test('ends with the page that holds its last object', async () => {
    const { prompts } = world.client();
    const { items, nextCursor } = await prompts.list({ search: 'under_score', limit: 91 });
    expect([items.length, nextCursor]).toEqual([91, null]);
    const first = await prompts.list({ search: 'under_score', limit: 90 });
    expect(first.nextCursor).not.toBeNull();
    const rest = await prompts.list({ search: 'under_score', limit: 90, cursor: first.nextCursor as string });
    expect([rest.items.length, rest.nextCursor]).toEqual([1, null]);
    expect((await prompts.list({})).items).toHaveLength(50);
    for (const limit of [0, 201, 1.5, 'x' as never]) {
      const refusal = await refusalOf(prompts.list({ limit }));
      expect(refusal).toMatchObject({ code: 'invalid_input', details: [{ field: 'limit' }] });
    }
  });

  test('is searched by a part of the name to the letter, whatever its case', async () => {
    const { prompts } = world.client();
    const found = async (search: string) =>
      (await prompts.list({ search, limit: 200 })).items.map(({ name }) => name);
    expect((await pages({ limit: 200, search: 'AA' })).flat()).toHaveLength(364);
    expect(new Set((await found('é')).map((name) => name[0]))).toEqual(new Set(['é', 'É']));
    expect((await found('0% O')).every((name) => name.startsWith('50% off'))).toBe(true);
    expect(await found('_')).toHaveLength(91);
    expect(await found('%')).toHaveLength(91);
    expect(await found('K\\s')).toHaveLength(90);
    expect(await found('😀 8')).toEqual(expect.arrayContaining([expect.stringMatching(/^😀 8/)]));
    expect(await found('nothing like it')).toEqual([]);
    expect(await refusalOf(prompts.list({ search: 'a\0' }))).toMatchObject({
      code: 'invalid_input',
      details: [{ field: 'search' }],
    });
  });

  describe('goes on only by a cursor of its own', () => {
    const refused = async (cursor: string, sort: NounOrder) => {
      const refusal = await refusalOf(world.client().prompts.list({ sort, cursor }));
      expect(refusal).toMatchObject({ code: 'invalid_input', details: [{ field: 'cursor', value: cursor }] });
      expect(refusal.message).toContain('in the same order');
    };
    const cursorOf = async (sort: NounOrder) =>
      (await world.client().prompts.list({ sort, limit: 3 })).nextCursor as string;

    test('not of another order', async () => {
      for (const own of nounOrders) {
        const cursor = await cursorOf(own);
        for (const other of nounOrders.filter((sort) => sort !== own)) await refused(cursor, other);
      }
    });

    test('not one that was damaged or made up', async () => {
      const text = (cursor: string) => Buffer.from(cursor, 'base64url').toString();
      const made = (parts: string) => Buffer.from(parts).toString('base64url');
      const byName = await cursorOf('name');
      const byTime = await cursorOf('updatedAt');
      const id = text(byName).split(' ')[1];
      for (const cursor of [
        '',
        '?',
        'AA',
        `${byName}A`,
        byName.slice(1),
        byName.slice(0, 20),
        made(text(byName).replace('name', 'neme')),
        made(text(byName).replace('-', '')),
        made(`name ${id} a\0b`),
        made(`name ${id}`),
        made('name'),
      ]) {
        await refused(cursor, 'name');
      }
      for (const value of ['2024-01-01', '', '-1', '1e9', '99999999999999999', `0'; --`]) {
        await refused(made(`updatedAt ${id} ${value}`), 'updatedAt');
      }
      expect(text(byTime)).toMatch(/^updatedAt \S{36} \d{16}$/);
    });
  });
});

test.each(nouns.map((noun) => [noun.words, noun] as const))(
  'a list of %ss says the usual of each, and takes no field that it does not know',
  async (_, noun) => {
    const { create, list } = callsOf(world.client(), noun);
    const { id, createdAt } = await create(noun.document('listed'));
    const { items } = await list({ search: 'LISTED' });
    expect(items).toMatchObject([{ id, name: 'listed', revision: 1, createdAt, updatedAt: createdAt }]);
    const refusal = await refusalOf(list({ colour: 'red' } as never));
    expect(refusal).toMatchObject({ code: 'invalid_input', details: [{ field: 'colour' }] });
    expect(await refusalOf(list({ sort: 'colour' as never }))).toMatchObject({
      details: [{ field: 'sort', value: 'colour' }],
    });
    const elsewhere = callsOf(world.client({ workspace: 'assay' }), noun);
    expect((await elsewhere.list({ search: 'LISTED' })).items).toEqual([]);
  },
);

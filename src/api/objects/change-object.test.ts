import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { callsOf, type Noun, namedByNouns, nouns } from '../../../test/nouns.ts';
import { verifies } from '../../../test/verifies.ts';
import { mcpServerDocument } from '../../core/documents/mcp-server.ts';
import { createObject, replaceObject } from './change-object.ts';
import { mcpServerKind } from './mcp-server.ts';
import { promptKind } from './prompt.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  await world.apply(namedByNouns);
});
afterAll(() => world.close());

const unknownId = '01890000-0000-7000-8000-000000000000';
const calls = (noun: Noun, options: Parameters<NounWorld['client']>[0] = {}) =>
  callsOf(world.client(options), noun);
const auditOf = (id: string) =>
  world.database.system
    .selectFrom('audit_entry')
    .select(['action', 'principal', 'object_kind', 'object_name'])
    .where('object_id', '=', id)
    .orderBy('id')
    .execute();

describe.each(nouns.map((noun) => [noun.words, noun] as const))('%s', (words, noun) => {
  test('is created, read by name and id, and replaced under another name', async () => {
    const { create, get, update } = calls(noun);
    const created = await create(noun.document('first'));
    expect(created).toMatchObject({ name: 'first', revision: 1, document: noun.document('first') });
    expect(await get({ id: created.id })).toEqual(await get({ id: 'first' }));
    expect(await get({ id: created.id.toUpperCase() })).toMatchObject({ id: created.id });

    const next = { id: 'first', revision: 1, ...noun.document('renamed', 1) };
    const changed = await update(next);
    expect(changed).toMatchObject({
      id: created.id,
      name: 'renamed',
      revision: 2,
      createdAt: created.createdAt,
      document: noun.document('renamed', 1),
    });
    expect(changed.updatedAt >= created.updatedAt).toBe(true);
    expect(await get({ id: 'renamed' })).toEqual({ warnings: [], ...changed });
    expect(await refusalOf(get({ id: 'first' }))).toMatchObject({
      code: 'not_found',
      message: `There is no ${words} "first".`,
      details: [{ field: 'id', value: 'first' }],
    });
    // the name is free again
    expect((await create(noun.document('first'))).id).not.toBe(created.id);

    const row = { principal: 'operator:local', object_kind: noun.kind };
    expect(await auditOf(created.id)).toEqual([
      { ...row, action: `${noun.kind}.create`, object_name: 'first' },
      { ...row, action: `${noun.kind}.update`, object_name: 'renamed' },
    ]);
  });

  test('that is replaced by what it is stays untouched', async () => {
    const { create, update } = calls(noun);
    const created = await create(noun.document('same'));
    const before = await world.everything();
    expect(await update({ id: created.id, revision: 1, ...noun.document('same') })).toEqual(created);
    expect(await world.everything()).toEqual(before);
  });

  test('of a stale revision, or with the name of another one, is a conflict', async () => {
    const { create, update } = calls(noun);
    const taken = await create(noun.document('taken'));
    const { id } = await create(noun.document('mine'));
    await update({ id, ...noun.document('mine', 1) });
    const before = await world.everything();
    const stale = await refusalOf(update({ id, revision: 1, ...noun.document('mine') }));
    expect(stale).toMatchObject({
      code: 'conflict',
      message: `The ${words} "mine" changed since then: the revision is 2 now, not 1. Read again, then change.`,
      details: [{ field: 'revision', value: 1 }],
    });
    const named = await refusalOf(update({ id, revision: 2, ...noun.document('taken') }));
    expect(named).toMatchObject({ code: 'conflict', details: [{ field: 'name', value: 'taken' }] });
    expect(named.message).toMatch(/^There is already an? .* named "taken"/);
    const both = await refusalOf(update({ id, revision: 1, ...noun.document('taken') }));
    expect(both).toMatchObject({ code: 'conflict', details: [{ field: 'revision' }] });
    const again = await refusalOf(create(noun.document('taken', 1)));
    expect(again).toMatchObject({ code: 'conflict', details: [{ field: 'name', value: 'taken' }] });
    expect(await refusalOf(update({ ...noun.document('taken'), id: unknownId }))).toMatchObject({
      code: 'not_found',
      details: [{ field: 'id', value: unknownId }],
    });
    expect(await world.everything()).toEqual(before);
    expect((await calls(noun).get({ id: 'taken' })).id).toBe(taken.id);
  });

  test('that two change at once is changed by one of them', async () => {
    const { create, update, get } = calls(noun);
    const { id } = await create(noun.document('raced'));
    const attempts = await Promise.allSettled(
      ['left', 'right'].map((name) => update({ id, revision: 1, ...noun.document(name, 1) })),
    );
    const [won] = attempts.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await get({ id })).toMatchObject({ revision: 2, name: won?.name });
    const [lost] = attempts.flatMap((each) => (each.status === 'rejected' ? each.reason : []));
    expect(lost).toMatchObject({ code: 'conflict', status: 409 });
  });

  test('of one name that two create at once is created once', async () => {
    const { create } = calls(noun);
    const attempts = await Promise.allSettled([1, 1].map(() => create(noun.document('created once'))));
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(attempts.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    });
  });

  test(
    verifies('of another workspace is found by its id by whoever may see it, and else missing', 'O9'),
    async () => {
      if (noun.part === 'testCases') {
        await world.client({ workspace: 'assay' }).apply({
          files: [{ path: 'f.yaml', text: namedByNouns }],
        });
      }
      const there = calls(noun, { workspace: 'assay' });
      const { id } = await there.create(noun.document('elsewhere'));
      const change = { id, revision: 1, ...noun.document('changed from main') };
      expect(await calls(noun).update(change)).toMatchObject({ id, revision: 2 });
      expect(await there.get({ id: 'changed from main' })).toMatchObject({ id });
      const rows = await world.database.system
        .selectFrom('audit_entry as a')
        .innerJoin('workspace as w', 'w.id', 'a.workspace_id')
        .select('w.name')
        .where('a.object_id', '=', id)
        .execute();
      expect(rows).toEqual([{ name: 'assay' }, { name: 'assay' }]);

      const stranger = calls(noun, { only: 'main' });
      for (const attempt of [
        (at: string) => stranger.get({ id: at }),
        (at: string) => stranger.update({ ...noun.document('mine now'), id: at }),
        (at: string) => stranger.archive({ id: at }),
      ]) {
        const foreign = await refusalOf(attempt(id));
        const missing = await refusalOf(attempt(unknownId));
        expect(foreign.code).toBe('not_found');
        const seen = JSON.stringify([foreign.code, foreign.message, foreign.details]);
        expect(seen.replaceAll(id, unknownId)).toBe(
          JSON.stringify([missing.code, missing.message, missing.details]),
        );
      }
      expect(await there.get({ id })).toMatchObject({ name: 'changed from main', revision: 2 });
    },
  );

  test('that is renamed all the time can be read all the time', async () => {
    const { create, update, get, list } = calls(noun);
    const { id } = await create(noun.document('restless'));
    let isDone = false;
    const renaming = (async () => {
      for (let round = 0; round < 40; round += 1) await update({ id, ...noun.document(`restless ${round}`) });
      isDone = true;
    })();
    const seen = new Set<string>();
    while (!isDone) {
      const [one, { items }] = await Promise.all([get({ id }), list({ search: 'restless' })]);
      expect(items).toHaveLength(1);
      seen.add(one.name);
    }
    await renaming;
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe('what a database cannot hold', () => {
  test.each([
    ['a\0b', 'must not hold the character NUL'],
    ['a\ud800b', 'must not hold half of a Unicode surrogate pair'],
  ])('is refused, naming the field: %j', async (body, message) => {
    const before = await world.everything();
    const { prompts, skills } = world.client();
    expect(await refusalOf(prompts.create({ name: 'odd', body }))).toMatchObject({
      code: 'invalid_input',
      details: [{ field: 'body', message: expect.stringContaining(message) }],
    });
    const skill = { name: 'odd', description: body, body };
    expect(await refusalOf(skills.create(skill))).toMatchObject({
      details: [{ field: 'description' }, { field: 'body' }],
    });
    expect(await world.everything()).toEqual(before);
  });
});

describe('the slow work before something is saved', () => {
  const server = (name: string, command = 'no-such-program') =>
    mcpServerDocument.parse({ name, transport: { type: 'stdio', command } });

  test('saves nothing where it refuses, and reaches nothing', async () => {
    const before = await world.everything();
    const asked = world.asked.length;
    const editor = world.context({ role: 'editor' });
    const refusal = await refusalOf(createObject(editor, mcpServerKind, server('refused')));
    expect(refusal).toMatchObject({ code: 'forbidden', details: [{ field: 'transport.type' }] });
    expect(await world.everything()).toEqual(before);
    expect(world.asked).toHaveLength(asked);
  });

  test('is not begun for what cannot be saved anyhow', async () => {
    const context = world.context();
    const { id } = await createObject(context, mcpServerKind, server('known'));
    const asked = world.asked.length;
    expect(asked).toBeGreaterThan(0);
    const other = server('known', 'other');
    const replace = (update: { id: string; revision: number }) =>
      replaceObject(context, mcpServerKind, { ...other, ...update });
    expect((await refusalOf(createObject(context, mcpServerKind, other))).code).toBe('conflict');
    expect((await refusalOf(replace({ id, revision: 9 }))).code).toBe('conflict');
    expect((await refusalOf(replace({ id: 'ghost', revision: 1 }))).code).toBe('not_found');
    expect(world.asked).toHaveLength(asked);
  });

  test('knows which object is to be replaced, and its outcome reaches the saving', async () => {
    const seen: unknown[] = [];
    const kind: typeof promptKind = {
      ...promptKind,
      prepare: async (_context, submitted) => {
        seen.push(submitted.map(({ replaces }) => replaces));
        return undefined;
      },
    };
    const context = world.context();
    const { id } = await createObject(context, kind, { name: 'prepared', body: 'a' });
    await replaceObject(context, kind, { id, revision: 1, name: 'prepared anew', body: 'a' });
    expect(seen).toEqual([[null], ['prepared']]);
  });
});

import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { localCaller } from '../call/caller.ts';
import { router } from '../router.ts';

let world: NounWorld;
let ids: string[];
beforeAll(async () => {
  world = await nounWorld();
  const text = Array.from({ length: 30 }, (_, index) => `kind: prompt\nname: p${index}\nbody: b`);
  ids = (await world.apply(text.join('\n---\n'))).objects.map(({ id }) => id);
  const { prompts, skills } = world.client();
  await prompts.update({ id: 'p3', name: 'renamed', body: 'c' });
  await skills.create({ name: 's', description: 'd', body: 'b' });
  await prompts.archive({ id: 'p4' });
  await world.client({ workspace: 'assay' }).prompts.create({ name: 'elsewhere', body: 'b' });
});
afterAll(() => world.close());

const log = (input: Parameters<ReturnType<NounWorld['client']>['auditLog']>[0] = {}) =>
  world.client().auditLog(input);

test('says who did what to which object, newest first, of this workspace alone', async () => {
  const { items, nextCursor } = await log({ limit: 200 });
  expect(nextCursor).toBeNull();
  expect(items).toHaveLength(33);
  expect(items.slice(0, 3).map(({ action, objectName }) => [action, objectName])).toEqual([
    ['prompt.archive', 'p4'],
    ['skill.create', 's'],
    ['prompt.update', 'renamed'],
  ]);
  expect(items[2]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    principal: 'operator:local',
    action: 'prompt.update',
    objectKind: 'prompt',
    objectId: ids[3],
    objectName: 'renamed',
  });
  // what one file changed is of one moment
  expect(new Set(items.slice(3).map(({ objectName }) => objectName))).toEqual(
    new Set(Array.from({ length: 30 }, (_, index) => `p${index}`)),
  );
});

test('names whoever it was', async () => {
  const principal = { kind: 'user' as const, id: 'ada', name: 'Ada' };
  const context = {
    caller: { ...localCaller, principal },
    workspaceRef: 'assay',
    program: world.context().program,
  };
  await createRouterClient(router, { context }).skills.create({ name: 'hers', description: 'd', body: 'b' });
  const { items } = await world.client({ workspace: 'assay' }).auditLog({});
  expect(items.map(({ principal: who, action }) => [who, action])).toEqual([
    ['user:ada', 'skill.create'],
    ['operator:local', 'prompt.create'],
  ]);
});

test('comes in pages that have each entry once, whatever is written meanwhile', async () => {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Awaited<ReturnType<typeof log>> = await log({ limit: 8, ...(cursor ? { cursor } : {}) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    await world.client().skills.create({ name: `later ${seen.length}`, description: 'd', body: 'b' });
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(33);
  expect(seen).toEqual(seen.toSorted().reverse());
  for (const made of ['', '?', 'p3']) {
    expect(await refusalOf(log({ cursor: made }))).toMatchObject({
      code: 'invalid_input',
      details: [{ field: 'cursor', value: made }],
    });
  }
});

test('is narrowed by kind, object and action', async () => {
  expect((await log({ objectKind: 'prompt', limit: 200 })).items).toHaveLength(32);
  expect((await log({ action: 'prompt.archive' })).items).toMatchObject([{ objectName: 'p4' }]);
  const one = await log({ objectId: ids[3] as string });
  expect(one.items.map(({ action }) => action)).toEqual(['prompt.update', 'prompt.create']);
  expect((await log({ objectId: ids[3] as string, action: 'skill.create' })).items).toEqual([]);
  expect((await log({ objectKind: 'nothing' })).items).toEqual([]);
  const wrong: [object, string][] = [
    [{ objectId: 'p3' }, 'objectId'],
    [{ action: 'a\0' }, 'action'],
    [{ principal: 'me' }, 'principal'],
  ];
  for (const [input, field] of wrong) {
    expect(await refusalOf(log(input))).toMatchObject({ code: 'invalid_input', details: [{ field }] });
  }
});

test('is for admins', async () => {
  expect((await refusalOf(world.client({ role: 'editor' }).auditLog({}))).code).toBe('forbidden');
});

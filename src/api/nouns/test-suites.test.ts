import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { LenientClient } from '../../../test/present-revision.ts';
import { verifies } from '../../../test/verifies.ts';

let world: NounWorld;
const ids = new Map<string, string>();
const names = ['c one', 'b two', 'a three'];
beforeAll(async () => {
  world = await nounWorld();
  const { objects } = await world.apply(
    [
      'kind: agent\nname: bot\nversions: [{ name: v1, status: active, model: offline }]\ndeployments: { dev: v1 }\n',
      ...names.map(
        (name) =>
          `kind: test-case\nname: ${name}\nagent: bot\nenvironment: dev\nconversation: { type: single, request: hi }\n`,
      ),
    ].join('---\n'),
  );
  for (const { name, id } of objects) ids.set(name, id);
});
afterAll(() => world.close());

const id = (name: string) => ids.get(name) as string;
const unknownId = '01890000-0000-7000-8000-000000000000';

test(verifies('a suite keeps its cases in order, given by name or id', 'M1'), async () => {
  const suite = await world.client().testSuites.create({
    name: 'ordered',
    testCaseIds: ['a three', id('c one'), 'b two'],
  });
  expect(suite).toMatchObject({
    name: 'ordered',
    revision: 1,
    testCaseIds: [id('a three'), id('c one'), id('b two')],
  });
  const changed = await world.client().testSuites.update({
    id: suite.id,
    name: 'renamed',
    testCaseIds: ['b two', 'a three'],
  });
  expect(changed).toEqual({
    id: suite.id,
    name: 'renamed',
    revision: 2,
    createdAt: suite.createdAt,
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    document: { name: 'renamed', testCaseIds: ['b two', 'a three'] },
    testCaseIds: [id('b two'), id('a three')],
    warnings: [],
  });
  expect(await world.client().testSuites.get({ id: suite.id })).toEqual(changed);
  expect(await world.client().testSuites.get({ id: 'renamed' })).toEqual(changed);
});

describe('what a suite may not be', () => {
  test.each([
    ['a blank name', 'name: " "\ntestCaseIds: []', 'f.yaml:2: name: must not be blank (it is " ")'],
    ['no name', 'testCaseIds: []', 'f.yaml:1: name: is needed'],
    ['no ids', 'name: s', 'f.yaml:1: testCaseIds: is needed'],
    [
      'ids that are no list',
      'name: s\ntestCaseIds: c one',
      'f.yaml:3: testCaseIds: must be a list (it is "c one")',
    ],
    [
      'an id that is no text',
      'name: s\ntestCaseIds: [5]',
      'f.yaml:3: testCaseIds[0]: must be text (it is 5)',
    ],
    [
      'an unknown id',
      `name: s\ntestCaseIds:\n  - c one\n  - ${unknownId}`,
      `f.yaml:5: testCaseIds[1]: there is no test case "${unknownId}"`,
    ],
    [
      'an unknown name',
      'name: s\ntestCaseIds: [c noe]',
      'testCaseIds[0]: there is no test case "c noe"; the closest is "c one"',
    ],
    [
      'a case twice',
      'name: s\ntestCaseIds: [c one, b two, c one]',
      'testCaseIds[2]: is the same test case as entry [0]: "c one"',
    ],
    ['malformed YAML', 'name: s\ntestCaseIds: [c one', 'f.yaml:3: is no valid YAML'],
  ])(verifies('%s is refused with file and line, and nothing is saved', 'M12'), async (_, body, message) => {
    const before = await world.everything();
    const refusal = await refusalOf(world.apply(`kind: test-suite\n${body}`));
    expect(refusal.message).toContain(message);
    expect(refusal.details[0]).toMatchObject({ file: 'f.yaml' });
    expect(await world.everything()).toEqual(before);
  });

  test(verifies('one case by its name and by its id is the same case twice', 'M12'), async () => {
    const before = await world.everything();
    const refusal = await refusalOf(
      world.client().testSuites.create({ name: 's', testCaseIds: ['c one', id('c one')] }),
    );
    expect(refusal).toMatchObject({
      code: 'invalid_input',
      details: [{ field: 'testCaseIds[1]', value: id('c one') }],
    });
    expect(await world.everything()).toEqual(before);
  });

  test(verifies('an update of an unknown id is refused, naming it', 'M12'), async () => {
    const before = await world.everything();
    const refusal = await refusalOf(
      world.client().testSuites.update({ id: unknownId, name: 's', testCaseIds: [] }),
    );
    expect(refusal).toMatchObject({ code: 'not_found', details: [{ field: 'id', value: unknownId }] });
    expect(refusal.message).toBe(`There is no test suite "${unknownId}".`);
    expect(await world.everything()).toEqual(before);
  });
});

test(verifies('a name is given once in a workspace, and again in another one', 'O9'), async () => {
  const document = { name: 'unique', testCaseIds: [] };
  await world.client().testSuites.create(document);
  const refusal = await refusalOf(world.client().testSuites.create(document));
  expect(refusal).toMatchObject({ code: 'conflict', details: [{ field: 'name', value: 'unique' }] });
  expect(refusal.message).toContain('There is already a test suite named "unique"');
  const other = await world.client().testSuites.create({ name: 'other', testCaseIds: [] });
  expect((await refusalOf(world.client().testSuites.update({ ...document, id: other.id }))).code).toBe(
    'conflict',
  );
  const elsewhere = await world.client({ workspace: 'assay' }).testSuites.create(document);
  expect(elsewhere.name).toBe('unique');
});

test('a stale revision is a conflict, and what was there stays', async () => {
  const client = world.client();
  const { id: suiteId } = await client.testSuites.create({ name: 'revised', testCaseIds: [] });
  await client.testSuites.update({ id: suiteId, revision: 1, name: 'revised', testCaseIds: ['c one'] });
  const stale = { id: suiteId, revision: 1, name: 'revised', testCaseIds: ['b two'] };
  const refusal = await refusalOf(client.testSuites.update(stale));
  expect(refusal).toMatchObject({ code: 'conflict', details: [{ field: 'revision', value: 1 }] });
  expect((await client.testSuites.get({ id: suiteId })).testCaseIds).toEqual([id('c one')]);
  const { document } = await client.testCases.get({ id: 'c one' });
  expect((await refusalOf(client.testCases.update({ ...document, id: 'c one', revision: 7 }))).code).toBe(
    'conflict',
  );
});

test('an update that changes nothing writes nothing', async () => {
  const suite = await world.client().testSuites.create({ name: 'same', testCaseIds: ['c one'] });
  const before = await world.everything();
  expect(
    await world.client().testSuites.update({ id: suite.id, name: 'same', testCaseIds: [id('c one')] }),
  ).toEqual(suite);
  expect(await world.everything()).toEqual(before);
});

describe('another workspace', () => {
  test.each<[string, (client: LenientClient, id: string) => Promise<unknown>]>([
    ['reading a suite', (client, suiteId) => client.testSuites.get({ id: suiteId })],
    [
      'updating a suite',
      (client, suiteId) => client.testSuites.update({ id: suiteId, name: 'mine', testCaseIds: [] }),
    ],
  ])('%s of it answers exactly like a missing one', async (_, attempt) => {
    const suite = await world.client().testSuites.create({ name: `seen by ${_}`, testCaseIds: [] });
    const stranger = world.client({ only: 'assay' });
    const foreign = await refusalOf(attempt(stranger, suite.id));
    const missing = await refusalOf(attempt(stranger, unknownId));
    const asMissing = (text: unknown) => JSON.stringify(text).replaceAll(suite.id, unknownId);
    expect(asMissing([foreign.code, foreign.message, foreign.details])).toBe(
      JSON.stringify([missing.code, missing.message, missing.details]),
    );
  });

  test('its cases cannot be put into a suite, and none of it is listed', async () => {
    const stranger = world.client({ only: 'assay' });
    const refusal = await refusalOf(
      stranger.testSuites.create({ name: 'thief', testCaseIds: [id('c one')] }),
    );
    expect(refusal.message).toBe(`testCaseIds[0]: there is no test case "${id('c one')}"; there is none yet`);
    expect((await stranger.testCases.list({ limit: 50 })).items).toEqual([]);
    expect((await stranger.agents.list({ limit: 50 })).items).toEqual([]);
  });
});

describe('lists', () => {
  test('go by name, page by page, with the number of cases', async () => {
    const client = world.client({ workspace: 'assay' });
    for (const name of ['é', 'B', 'a', 'Z z', '😀'])
      await client.testSuites.create({ name, testCaseIds: [] });
    const all = (await client.testSuites.list({ limit: 200 })).items;
    const paged: typeof all = [];
    let cursor: string | null | undefined;
    do {
      const page = await client.testSuites.list({ limit: 2, cursor: cursor ?? undefined });
      paged.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['é', 'B', 'a', 'Z z', '😀']));
    expect(all.every(({ testCases }) => testCases === 0)).toBe(true);
  });

  test('of test cases and agents say what people look for', async () => {
    const { items } = await world.client().testCases.list({ limit: 50 });
    expect(items.map(({ name }) => name)).toEqual([...names].sort());
    expect(items[0]).toMatchObject({ agent: 'bot', environment: 'dev', agentVersion: 'auto', revision: 1 });
    const agents = await world.client().agents.list({ limit: 50 });
    expect(agents.items).toMatchObject([
      { name: 'bot', versions: [{ name: 'v1', status: 'active' }], deployments: { dev: 'v1' } },
    ]);
  });

  test.each(['?', 'AA', Buffer.from('a\0b').toString('base64url')])(
    'a made-up cursor %s is refused',
    async (cursor) => {
      const refusal = await refusalOf(world.client().testSuites.list({ limit: 5, cursor }));
      expect(refusal).toMatchObject({ code: 'invalid_input', details: [{ field: 'cursor', value: cursor }] });
    },
  );
});

test('a NUL character in a reference is a name that does not exist', async () => {
  const refusal = await refusalOf(world.client().testSuites.create({ name: 's', testCaseIds: ['a\0'] }));
  expect(refusal.code).toBe('invalid_input');
});

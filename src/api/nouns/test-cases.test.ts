import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';

let world: NounWorld;
const testCase = (name: string, agent: string, environment: string, more = {}) =>
  JSON.stringify({
    kind: 'test-case',
    name,
    agent,
    environment,
    conversation: { type: 'single', request: 'hi' },
    ...more,
  });
beforeAll(async () => {
  world = await nounWorld();
  const agent = (name: string) =>
    `kind: agent\nname: ${name}\nversions: [{name: v1, status: active, model: offline}]`;
  await world.apply(
    [
      agent('one'),
      agent('two'),
      testCase('a', 'one', 'dev', { agentVersion: 'v1' }),
      testCase('b', 'one', 'prod'),
      testCase('c', 'two', 'dev'),
      testCase('d', 'two', 'prod'),
      'kind: test-suite\nname: some\ntestCaseIds: [d, a]',
      'kind: test-suite\nname: none\ntestCaseIds: []',
    ].join('\n---\n'),
  );
});
afterAll(() => world.close());

type Filter = Parameters<ReturnType<NounWorld['client']>['testCases']['list']>[0];
const listed = async (filter: Filter) =>
  (await world.client().testCases.list(filter)).items.map(({ name }) => name);

test('are listed with whom they test, where, and who answers', async () => {
  const { items } = await world.client().testCases.list({});
  expect(
    items.map(({ name, agent, environment, agentVersion }) => [name, agent, environment, agentVersion]),
  ).toEqual([
    ['a', 'one', 'dev', 'v1'],
    ['b', 'one', 'prod', 'auto'],
    ['c', 'two', 'dev', 'auto'],
    ['d', 'two', 'prod', 'auto'],
  ]);
});

test('are narrowed by agent, environment and suite, together and with a search, by name or id', async () => {
  expect(await listed({ agent: 'one' })).toEqual(['a', 'b']);
  expect(await listed({ environment: 'prod' })).toEqual(['b', 'd']);
  expect(await listed({ testSuite: 'some' })).toEqual(['a', 'd']);
  expect(await listed({ testSuite: 'none' })).toEqual([]);
  expect(await listed({ testSuite: 'some', agent: 'two' })).toEqual(['d']);
  expect(await listed({ testSuite: 'some', agent: 'two', environment: 'dev' })).toEqual([]);
  expect(await listed({ environment: 'prod', search: 'D' })).toEqual(['d']);
  expect(await listed({ environment: 'prod', sort: '-name' })).toEqual(['d', 'b']);
  const { testSuites, environments } = world.client();
  const suite = await testSuites.get({ id: 'some' });
  const dev = await environments.get({ id: 'dev' });
  expect(await listed({ testSuite: suite.id, environment: dev.id })).toEqual(['a']);
});

test('are narrowed page by page', async () => {
  const { testCases } = world.client();
  const first = await testCases.list({ agent: 'two', limit: 1 });
  expect(first.items.map(({ name }) => name)).toEqual(['c']);
  const cursor = first.nextCursor as string;
  expect(await testCases.list({ agent: 'two', limit: 1, cursor })).toMatchObject({
    items: [{ name: 'd' }],
    nextCursor: null,
  });
});

test.each([
  ['agent', 'agent'],
  ['environment', 'environment'],
  ['testSuite', 'test suite'],
])('narrowed by an unknown %s are refused, naming the field', async (field, noun) => {
  for (const value of ['ghost', '01890000-0000-7000-8000-000000000000', 'a\0b']) {
    const refusal = await refusalOf(world.client().testCases.list({ [field]: value }));
    expect(refusal).toMatchObject({
      code: 'not_found',
      message: `There is no ${noun} "${value}".`,
      details: [{ field, value }],
    });
  }
  const elsewhere = world.client({ workspace: 'assay' }).testCases.list({ [field]: 'one' });
  expect((await refusalOf(elsewhere)).code).toBe('not_found');
  expect((await refusalOf(world.client().testCases.list({ [field]: '' }))).details).toMatchObject([
    { field },
  ]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { LenientClient } from '../../../test/present-revision.ts';
import { refused } from '../../../test/refused.ts';
import { verifies } from '../../../test/verifies.ts';

let world: NounWorld;
let client: LenientClient;
beforeAll(async () => {
  world = await nounWorld();
  client = world.client();
  await client.prompts.create({ name: 'tone', body: 'Be brief.' });
});
afterAll(() => world.close());

const unknownId = '01890000-0000-7000-8000-000000000000';
const version = (name: string, more: object = {}) => ({ name, model: 'offline', ...more });
const active = (name: string, more: object = {}) => version(name, { status: 'active', ...more });
const testCase = (name: string, agent: string) => ({
  name,
  agent,
  environment: 'dev',
  conversation: { type: 'single' as const, request: 'Hello' },
});

test('an agent is created, read by name and id, and listed with its versions and deployments', async () => {
  const created = await client.agents.create({
    name: 'whole',
    versions: [active('v1', { prompts: ['tone'] }), version('v2')],
    deployments: { dev: 'v1' },
  });
  expect(created).toMatchObject({
    name: 'whole',
    revision: 1,
    warnings: [],
    versions: [
      { id: expect.any(String), name: 'v1', status: 'active' },
      { id: expect.any(String), name: 'v2', status: 'draft' },
    ],
    deployments: { dev: 'v1' },
    providedBy: null,
    document: { name: 'whole', versions: [{ name: 'v1', prompts: ['tone'] }, { name: 'v2' }] },
  });
  expect(await client.agents.get({ id: 'whole' })).toEqual(created);
  expect(await client.agents.get({ id: created.id })).toEqual(created);
  const { document: _document, warnings: _warnings, ...item } = created;
  expect((await client.agents.list({ search: 'whole' })).items).toEqual([item]);
});

describe('an update', () => {
  test('gives another name, and leaves versions and deployments that it does not name', async () => {
    const { id } = await client.agents.create({
      name: 'old name',
      versions: [active('v1'), version('v2')],
      deployments: { dev: 'v1' },
    });
    await client.testCases.create(testCase('of the renamed', 'old name'));
    const renamed = await client.agents.update({ id: 'old name', revision: 1, name: 'new name' });
    expect(renamed).toMatchObject({
      id,
      name: 'new name',
      revision: 2,
      versions: [{ name: 'v1' }, { name: 'v2' }],
      deployments: { dev: 'v1' },
    });
    expect((await client.testCases.get({ id: 'of the renamed' })).document.agent).toBe('new name');
    expect(await refusalOf(client.agents.get({ id: 'old name' }))).toMatchObject({ code: 'not_found' });
    // the name is free again
    expect(await client.agents.create({ name: 'old name' })).toMatchObject({ revision: 1 });
  });

  test('that changes nothing is no change', async () => {
    const { id } = await client.agents.create({ name: 'same', versions: [active('v1')] });
    const before = await world.everything();
    expect(await client.agents.update({ id, name: 'same', versions: [active('v1')] })).toMatchObject({
      revision: 1,
    });
    expect(await world.everything()).toEqual(before);
  });

  test('of an active version is refused, naming what differs', async () => {
    const { id } = await client.agents.create({ name: 'fixed', versions: [active('v1')] });
    await refused(
      world,
      () => client.agents.update({ id, name: 'fixed', versions: [active('v1', { model: 'openai:x' })] }),
      {
        code: 'rule_violated',
        field: 'versions[0].model',
        message: 'cannot change: the version "v1" is active, and this differs in model',
      },
    );
  });

  test('to the name of another agent, or from a stale revision, is a conflict', async () => {
    const { id } = await client.agents.create({ name: 'one of two' });
    await client.agents.create({ name: 'two of two' });
    await refused(world, () => client.agents.update({ id, name: 'two of two' }), {
      code: 'conflict',
      field: 'name',
      message: 'There is already an agent named "two of two".',
    });
    await refused(world, () => client.agents.update({ id, name: 'x', revision: 7 }), {
      code: 'conflict',
      field: 'revision',
      message: 'the revision is 1 now, not 7',
    });
  });
});

describe('deploying', () => {
  test('lets an active version answer, raises the revision and is told in the audit log', async () => {
    const { id, versions } = await client.agents.create({
      name: 'deployed',
      versions: [active('v1'), active('v2')],
      deployments: { dev: 'v1' },
    });
    const second = versions[1]?.id as string;
    expect(await client.agents.deploy({ id, environment: 'dev', version: second })).toEqual({
      agent: 'deployed',
      environment: 'dev',
      version: 'v2',
    });
    expect(await client.agents.get({ id })).toMatchObject({ revision: 2, deployments: { dev: 'v2' } });
    const { items } = await client.auditLog({ objectId: id, action: 'agent.deploy' });
    expect(items).toMatchObject([{ principal: 'operator:local', objectName: 'deployed' }]);
    const before = await world.everything();
    await client.agents.deploy({ id: 'deployed', environment: 'dev', version: 'v2' });
    expect(await world.everything()).toEqual(before);
  });

  test.each([
    ['a draft', 'draft', 'the version "draft" is a draft, and only an active version is deployed'],
    ['an unknown version', 'v9', 'there is no version "v9" of this agent; it has "v1", "draft"'],
    ['an unknown id', unknownId, `there is no version "${unknownId}" of this agent`],
  ])('%s is refused', async (what, reference, message) => {
    const name = `cannot deploy ${what}`;
    await client.agents.create({ name, versions: [active('v1'), version('draft')] });
    await refused(world, () => client.agents.deploy({ id: name, environment: 'dev', version: reference }), {
      code: 'rule_violated',
      field: 'version',
      message,
    });
  });

  test('a version of another agent is refused', async () => {
    const other = await client.agents.create({ name: 'of another', versions: [active('theirs')] });
    await client.agents.create({ name: 'mine', versions: [active('v1')] });
    const theirs = other.versions[0]?.id as string;
    await refused(world, () => client.agents.deploy({ id: 'mine', environment: 'dev', version: theirs }), {
      code: 'rule_violated',
      field: 'version',
      message: `there is no version "${theirs}" of this agent; it has "v1"`,
    });
  });

  test('into an environment that does not exist, or of an agent that does not, is refused', async () => {
    await client.agents.create({ name: 'nowhere', versions: [active('v1')] });
    await refused(
      world,
      () => client.agents.deploy({ id: 'nowhere', environment: 'staging', version: 'v1' }),
      {
        code: 'not_found',
        field: 'environment',
        message: 'There is no environment "staging".',
      },
    );
    await refused(world, () => client.agents.deploy({ id: 'nobody', environment: 'dev', version: 'v1' }), {
      code: 'not_found',
      field: 'id',
      message: 'There is no agent "nobody".',
    });
  });

  test('needs an editor', async () => {
    await client.agents.create({ name: 'seen', versions: [active('v1')] });
    const viewer = world.client({ role: 'viewer' });
    await refused(world, () => viewer.agents.deploy({ id: 'seen', environment: 'dev', version: 'v1' }), {
      code: 'forbidden',
      message: 'needs the role editor',
    });
  });
});

describe('archiving', () => {
  test('takes an agent out of lists, and its name is free again', async () => {
    const { id } = await client.agents.create({ name: 'gone' });
    expect(await client.agents.archive({ id: 'gone' })).toEqual({ id, name: 'gone' });
    expect((await client.agents.list({ search: 'gone' })).items).toEqual([]);
    expect(await refusalOf(client.agents.get({ id }))).toMatchObject({ code: 'not_found' });
    expect((await client.agents.create({ name: 'gone' })).id).not.toBe(id);
  });

  test('is refused while test cases test it, naming a few of them', async () => {
    await client.agents.create({ name: 'tested' });
    const names = ['c1', 'c2', 'c3', 'c4'];
    for (const name of names) await client.testCases.create(testCase(name, 'tested'));
    const sentences = [
      '4 test cases test it, among them "c1", "c2", "c3"',
      '3 test cases test it: "c2", "c3", "c4"',
      '2 test cases test it: "c3", "c4"',
      'the test case "c4" tests it',
    ];
    for (const [index, sentence] of sentences.entries()) {
      await refused(world, () => client.agents.archive({ id: 'tested' }), {
        code: 'rule_violated',
        field: 'id',
        message: `The agent "tested" cannot be archived: ${sentence}.`,
      });
      await client.testCases.archive({ id: names[index] as string });
    }
    expect(await client.agents.archive({ id: 'tested' })).toMatchObject({ name: 'tested' });
  });
});

describe('what an agent and its versions may not be', () => {
  const cases: [string, object, string, string][] = [
    ['a blank name', { name: ' ' }, 'name', 'must not be blank'],
    ['a version without a model', { versions: [{ name: 'v1' }] }, 'versions[0].model', 'is needed'],
    [
      'an unknown provider',
      { versions: [version('v1', { model: 'gpt-5' })] },
      'versions[0].model',
      'must be "offline" or "<provider>:<model name>"',
    ],
    [
      'an unknown status',
      { versions: [version('v1', { status: 'live' })] },
      'versions[0].status',
      'must be one of draft, active',
    ],
    [
      'a version twice',
      { versions: [version('v1'), version('v1')] },
      'versions[1].name',
      'is the name of another version above: "v1"',
    ],
    [
      'a version named latest',
      { versions: [version('latest')] },
      'versions[0].name',
      'must not be one of auto, configured, latest',
    ],
    [
      'an unknown prompt',
      { versions: [version('v1', { prompts: ['tnoe'] })] },
      'versions[0].prompts[0]',
      'there is no prompt "tnoe"; the closest is "tone"',
    ],
    [
      'an unknown server',
      { versions: [version('v1', { mcpServers: [unknownId] })] },
      'versions[0].mcpServers[0]',
      `there is no MCP server "${unknownId}"`,
    ],
    [
      'a limit below one',
      { versions: [version('v1', { limits: { modelCalls: 0 } })] },
      'versions[0].limits.modelCalls',
      'must be at least 1',
    ],
    [
      'the deployment of a version that it has not',
      { versions: [active('v1')], deployments: { dev: 'v2' } },
      'deployments.dev',
      'there is no version "v2" of this agent; it has "v1"',
    ],
    [
      'a deployment into an unknown environment',
      { versions: [active('v1')], deployments: { dve: 'v1' } },
      'deployments.dve',
      'there is no environment "dve"; the closest is "dev"',
    ],
    ['an unknown field', { model: 'offline' }, 'model', 'is not a known field'],
  ];

  test.each(cases)('%s is refused, created or updated', async (_, document, field, message) => {
    await client.agents.create({ name: 'stays as it is' }).catch(() => undefined);
    const wrong = { name: 'wrong', ...document };
    await refused(world, () => client.agents.create(wrong), { code: 'invalid_input', field, message });
    await refused(world, () => client.agents.update({ ...wrong, id: 'stays as it is' }), {
      code: 'invalid_input',
      field,
      message,
    });
  });
});

test(verifies('a case is not pinned to a version of another agent', 'M23'), async () => {
  const one = await client.agents.create({ name: 'pin one', versions: [active('v1')] });
  await client.agents.create({ name: 'pin two', versions: [active('w1')] });
  const pinned = {
    ...testCase('pinned to a stranger', 'pin two'),
    agentVersion: one.versions[0]?.id as string,
  };
  await refused(world, () => client.testCases.create(pinned), {
    code: 'invalid_input',
    field: 'agentVersion',
    message: 'must be auto or a version of the agent "pin two", which has "w1"',
  });
});

describe('an agent of another workspace', () => {
  const attempts: [string, (client: LenientClient, id: string) => Promise<unknown>][] = [
    ['get', (stranger, id) => stranger.agents.get({ id })],
    ['update', (stranger, id) => stranger.agents.update({ id, name: 'mine' })],
    ['archive', (stranger, id) => stranger.agents.archive({ id })],
    ['deploy', (stranger, id) => stranger.agents.deploy({ id, environment: 'dev', version: 'v1' })],
  ];

  test.each(attempts)('%s answers like a missing one', async (what, attempt) => {
    const { id } = await client.agents.create({ name: `hidden from ${what}`, versions: [active('v1')] });
    const stranger = world.client({ only: 'assay' });
    const foreign = await refusalOf(attempt(stranger, id));
    const missing = await refusalOf(attempt(stranger, unknownId));
    const told = ({ code, message, details }: typeof foreign) => JSON.stringify({ code, message, details });
    expect(told(foreign).replaceAll(id, unknownId)).toBe(told(missing));
    expect(missing.code).toBe('not_found');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  await world.apply(
    'kind: prompt\nname: tone\nbody: Be brief.\n---\nkind: prompt\nname: voice\nbody: Be kind.\n---\n' +
      'kind: skill\nname: tidy-up\ndescription: How to tidy\nbody: Tidy.\n---\n' +
      'kind: mcp-server\nname: files\ntransport: { type: http, url: "https://tools.example/mcp" }\n',
  );
});
afterAll(() => world.close());

interface Version {
  name: string;
  status?: string;
  [field: string]: unknown;
}
/** An agent as a file in JSON, which is YAML too. */
const agent = (name: string, versions: Version[], deployments = {}) =>
  JSON.stringify({
    kind: 'agent',
    name,
    versions: versions.map((version) => ({ model: 'offline', ...version })),
    deployments,
  });

async function versionsOf(name: string) {
  return world.database.system
    .selectFrom('agent_version as v')
    .innerJoin('agent as a', 'a.id', 'v.agent_id')
    .selectAll('v')
    .select('a.revision')
    .where('a.name', '=', name)
    .orderBy('v.created_at')
    .execute();
}

describe('versions', () => {
  test('keep their order, their defaults and their names', async () => {
    const text = agent('ordered', [{ name: 'z' }, { name: 'a', prompts: ['voice', 'tone'] }, { name: 'm' }]);
    expect(await world.actions(text)).toEqual(['created']);
    const versions = await versionsOf('ordered');
    expect(versions.map(({ name, status }) => [name, status])).toEqual([
      ['z', 'draft'],
      ['a', 'draft'],
      ['m', 'draft'],
    ]);
    expect(versions[1]?.definition).toEqual({
      model: 'offline',
      instructions: '',
      prompts: ['voice', 'tone'],
      skills: [],
      mcpServers: [],
      limits: { modelCalls: 25, tokens: 500_000, seconds: 300 },
    });
    expect(await world.actions(text)).toEqual(['unchanged']);
  });

  test('a draft changes, and one that a file does not name stays', async () => {
    await world.apply(agent('changing', [{ name: 'v1' }, { name: 'v2' }]));
    expect(await world.actions(agent('changing', [{ name: 'v1', instructions: 'new' }]))).toEqual([
      'updated',
    ]);
    const versions = await versionsOf('changing');
    expect(versions.map(({ name, definition }) => [name, definition.instructions])).toEqual([
      ['v1', 'new'],
      ['v2', ''],
    ]);
    expect(versions[0]?.revision).toBe(2);
  });

  test('a draft becomes active, with what its names stand for now', async () => {
    const version = { name: 'v1', prompts: ['tone'], skills: ['tidy-up'], mcpServers: ['files'] };
    await world.apply(agent('activated', [version]));
    expect((await versionsOf('activated'))[0]).toMatchObject({
      status: 'draft',
      frozen: null,
      content_hash: null,
    });
    expect(await world.actions(agent('activated', [{ ...version, status: 'active' }]))).toEqual(['updated']);
    expect((await versionsOf('activated'))[0]).toMatchObject({
      status: 'active',
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      frozen: {
        kind: 'native',
        agent: { name: 'activated' },
        version: { name: 'v1' },
        prompts: [{ name: 'tone', body: 'Be brief.' }],
        skills: [{ name: 'tidy-up', description: 'How to tidy', body: 'Tidy.' }],
        mcpServers: [{ name: 'files', target: { mode: 'real', endpoint: null } }],
      },
    });
  });

  test('an active version stays what it is: a file that changes it is refused, naming what differs', async () => {
    const active = { name: 'v1', status: 'active', instructions: 'old', prompts: ['tone'] };
    await world.apply(agent('fixed', [active]));
    const before = await world.everything();
    const refusal = await refusalOf(
      world.apply(agent('fixed', [{ ...active, instructions: 'new', prompts: ['voice', 'tone'] }])),
    );
    expect(refusal.code).toBe('rule_violated');
    expect(refusal.message).toBe(
      'f.yaml:1: versions[0].instructions: cannot change: the version "v1" is active, and this differs in ' +
        'instructions, prompts. Leave it as it was, and add a version with a new name',
    );
    expect(await world.everything()).toEqual(before);
    expect(await world.actions(agent('fixed', [active, { name: 'v2' }]))).toEqual(['updated']);
  });

  test('an active version never becomes a draft again', async () => {
    await world.apply(agent('stays', [{ name: 'v1', status: 'active' }]));
    const refusal = await refusalOf(world.apply(agent('stays', [{ name: 'v1' }])));
    expect(refusal.code).toBe('rule_violated');
    expect(refusal.message).toContain('versions[0].status: must stay active: the version "v1" is active');
  });

  test('an active version is unchanged when it names its parts by their ids', async () => {
    await world.apply(agent('by id', [{ name: 'v1', status: 'active', prompts: ['tone'] }]));
    const { system } = world.database;
    const tone = await system
      .selectFrom('prompt')
      .select('id')
      .where('name', '=', 'tone')
      .executeTakeFirstOrThrow();
    expect(
      await world.actions(agent('by id', [{ name: 'v1', status: 'active', prompts: [tone.id] }])),
    ).toEqual(['unchanged']);
  });

  test.each<[string, Version[], string]>([
    [
      'an unknown prompt',
      [{ name: 'v', prompts: ['tnoe'] }],
      'versions[0].prompts[0]: there is no prompt "tnoe"; the closest is "tone"',
    ],
    [
      'an unknown skill',
      [{ name: 'v', skills: ['tidy'] }],
      'versions[0].skills[0]: there is no skill "tidy"; the closest is "tidy-up"',
    ],
    [
      'an unknown server',
      [{ name: 'v', mcpServers: ['file'] }],
      'versions[0].mcpServers[0]: there is no MCP server "file"; the closest is "files"',
    ],
    [
      'a server twice',
      [{ name: 'v', mcpServers: ['files', 'files'] }],
      'versions[0].mcpServers[1]: "files" stands here twice',
    ],
    [
      'a version name twice',
      [{ name: 'v' }, { name: 'v' }],
      'versions[1].name: is the name of another version above: "v"',
    ],
    [
      'a name that means something else',
      [{ name: 'latest' }],
      'versions[0].name: must not be one of auto, configured, latest',
    ],
    [
      'an unknown model',
      [{ name: 'v', model: 'gpt-5' }],
      'versions[0].model: must be "offline" or "<provider>:<model name>"',
    ],
    [
      'a limit of nothing',
      [{ name: 'v', limits: { tokens: 0 } }],
      'versions[0].limits.tokens: must be at least 1',
    ],
    ['a blank name', [{ name: ' ' }], 'versions[0].name: must not be blank'],
    ['a field that is not known', [{ name: 'v', tools: [] }], 'versions[0].tools: is not a known field'],
  ])('%s is refused', async (_, versions, message) => {
    expect((await refusalOf(world.apply(agent('refused', versions)))).message).toContain(message);
    expect(await versionsOf('refused')).toEqual([]);
  });
});

describe('deployments', () => {
  test('put an active version into an environment, replace it, and stay where a file does not name them', async () => {
    const versions = [
      { name: 'v1', status: 'active' },
      { name: 'v2', status: 'active' },
    ];
    await world.apply(agent('deployed', versions, { dev: 'v1', prod: 'v1' }));
    expect(await world.actions(agent('deployed', versions, { dev: 'v2' }))).toEqual(['updated']);
    expect(await world.actions(agent('deployed', versions, { dev: 'v2', prod: 'v1' }))).toEqual([
      'unchanged',
    ]);
  });

  test.each([
    [
      'a draft',
      { dev: 'draft' },
      'deployments.dev: the version "draft" is a draft, and only an active version is deployed. Make it active',
    ],
    [
      'an unknown version',
      { dev: 'v9' },
      'deployments.dev: there is no version "v9" of this agent; it has "v1", "draft"',
    ],
    [
      'an unknown environment',
      { staging: 'v1' },
      'deployments.staging: there is no environment "staging"; the closest is "dev"',
    ],
  ])('%s is refused', async (_, deployments, message) => {
    const versions = [{ name: 'v1', status: 'active' }, { name: 'draft' }];
    expect((await refusalOf(world.apply(agent('undeployed', versions, deployments)))).message).toContain(
      message,
    );
    expect(await versionsOf('undeployed')).toEqual([]);
  });

  test('a draft that becomes active in the same file may be deployed by it', async () => {
    await world.apply(agent('at once', [{ name: 'v1' }]));
    expect(await world.actions(agent('at once', [{ name: 'v1', status: 'active' }], { dev: 'v1' }))).toEqual([
      'updated',
    ]);
  });
});

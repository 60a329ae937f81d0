import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../../test/noun-world.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

/** Names with what JSON escapes, to see that they are followed as they are. */
const [oldName, newName] = ['to"ne \\ é', 'vo"ice \\ 😀'];

const versionsOf = (agent: string) =>
  world.database.system
    .selectFrom('agent_version as v')
    .innerJoin('agent as a', 'a.id', 'v.agent_id')
    .innerJoin('workspace as w', 'w.id', 'a.workspace_id')
    .select(['w.name as workspace', 'v.name', 'v.definition', 'v.frozen', 'v.content_hash', 'a.revision'])
    .where('a.name', '=', agent)
    .orderBy('w.name')
    .orderBy('v.name')
    .execute();

test('a skill that an active version was frozen with is expected by its old name', async () => {
  await world.apply(
    'kind: skill\nname: before\ndescription: d\nbody: b\n---\n' +
      'kind: agent\nname: frozen\nversions: [{name: v1, status: active, model: offline, skills: [before]}]\n---\n' +
      ['before', 'after']
        .map(
          (name) =>
            `kind: test-case\nname: uses ${name}\nagent: frozen\nenvironment: dev\nconversation: {type: single, request: hi}\nchecks: [{type: skill_used, skill: ${name}}]`,
        )
        .join('\n---\n'),
  );
  const { skills, testCases } = world.client();
  await skills.update({ id: 'before', name: 'after', description: 'd', body: 'b' });
  expect((await testCases.get({ id: 'uses before' })).warnings).toEqual([]);
  expect((await testCases.get({ id: 'uses after' })).warnings).toEqual([
    'The version "v1", which answers now, has no skill "after"; the closest it has is "before".',
  ]);
});

test('a skill or a server that gets another name tells which checks keep the old one', async () => {
  const testCase = (name: string, checks: object[], turnChecks: object[] = []) => ({
    kind: 'test-case',
    name,
    agent: 'idle',
    environment: 'dev',
    conversation: { type: 'golden', turns: [{ user: 'hi', checks: turnChecks }] },
    checks,
  });
  const files = [
    { kind: 'skill', name: 'pay', description: 'd', body: 'b' },
    { kind: 'mcp-server', name: 'bank', transport: { type: 'http', url: 'https://bank.example/mcp' } },
    { kind: 'agent', name: 'idle', versions: [{ name: 'v1', status: 'active', model: 'offline' }] },
    testCase('forbids it', [{ type: 'skill_not_used', skill: 'pay' }]),
    testCase('archived', [{ type: 'skill_not_used', skill: 'pay' }]),
    testCase('in a turn', [], [{ type: 'no_write_before', tool: 'bank/pay' }]),
    testCase('others', [
      { type: 'skill_used', skill: 'payment' },
      { type: 'tool_called', tool: 'pay' },
      { type: 'tool_called', tool: 'banker/pay' },
    ]),
  ];
  await world.apply(files.map((each) => JSON.stringify(each)).join('\n---\n'));
  const { skills, mcpServers, testCases } = world.client();
  await testCases.archive({ id: 'archived' });

  const skill = { name: 'pay', description: 'other', body: 'b' };
  expect((await skills.update({ ...skill, id: 'pay', revision: 1 })).warnings).toEqual([]);
  expect((await skills.update({ ...skill, name: 'settle', id: 'pay', revision: 2 })).warnings).toEqual([
    'The test case "forbids it" has a check that names the skill "pay", which is "settle" now. Change the check, unless a version that keeps the old name is to answer it.',
  ]);
  const transport = { type: 'http' as const, url: 'https://bank.example/mcp' };
  const renamed = await mcpServers.update({ name: 'vault', transport, id: 'bank', revision: 1 });
  expect(renamed.warnings.filter((each) => each.startsWith('The test case'))).toEqual([
    'The test case "in a turn" has a check that names the MCP server "bank", which is "vault" now. Change the check, unless a version that keeps the old name is to answer it.',
  ]);
});

describe.each(['prompts', 'skills'] as const)('%s that get another name', (list) => {
  const agent = `agent of ${list}`;
  const file = [
    { kind: 'prompt', name: oldName, body: 'as it was' },
    { kind: 'skill', name: oldName, description: 'd', body: 'as it was' },
    { kind: 'prompt', name: 'other', body: 'b' },
    { kind: 'skill', name: 'other', description: 'd', body: 'b' },
    {
      kind: 'agent',
      name: agent,
      versions: ['draft', 'active'].map((status) => ({
        name: status,
        status,
        model: 'offline',
        instructions: JSON.stringify(oldName),
        [list]: ['other', oldName],
      })),
    },
    { kind: 'agent', name: `stranger to ${list}`, versions: [{ name: 'v1', model: 'offline' }] },
  ]
    .map((object) => JSON.stringify(object))
    .join('\n---\n');

  test('are followed by drafts and active versions, which stay what they were frozen with', async () => {
    await world.apply(file);
    await world.client({ workspace: 'assay' }).apply({ files: [{ path: 'f.yaml', text: file }] });
    const before = await versionsOf(agent);
    const client = world.client();
    const { document } = await client[list].get({ id: oldName });
    await client[list].update({ ...document, id: oldName, name: newName } as never);

    const after = await versionsOf(agent);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after.slice(2).map(({ workspace, name }) => [workspace, name])).toEqual([
      ['main', 'active'],
      ['main', 'draft'],
    ]);
    for (const [index, version] of after.slice(2).entries()) {
      const old = before[index + 2];
      expect(version.definition).toEqual({ ...old?.definition, [list]: ['other', newName] });
      expect([version.frozen, version.content_hash]).toEqual([old?.frozen, old?.content_hash]);
      // who knows the agent with the old name must not write that back
      expect(version.revision).toBe(2);
    }
    expect(after[2]?.frozen?.[list].map(({ name }) => name)).toEqual(['other', oldName]);
    expect((await versionsOf(`stranger to ${list}`)).map(({ revision }) => revision)).toEqual([1, 1]);
  });

  test('are exported so that an apply changes nothing, and still answer', async () => {
    const exported = await world.export();
    expect(new Set(await world.actions(exported))).toEqual(new Set(['unchanged']));
    const client = world.client();
    await client.apply({
      files: [
        {
          path: 'f.yaml',
          text: `kind: test-case\nname: ${list}\nagent: ${agent}\nenvironment: dev\nconversation: {type: single, request: hi}\n---\nkind: test-suite\nname: ${list}\ntestCaseIds: [${list}]`,
        },
      ],
    });
    for (const version of ['draft', 'active']) {
      const run = await client.testRuns.start({
        testSuiteId: list,
        agentVersionTarget: 'specific',
        agentVersionId: version,
      });
      const [result] = await world.database.system
        .selectFrom('test_result')
        .select('frozen_work')
        .where('run_id', '=', run.id)
        .execute();
      expect(result?.frozen_work.subject).toMatchObject({ contentHash: expect.any(String) });
    }
  });

  test('are not what apply makes of another name: that is another object', async () => {
    const text =
      list === 'prompts'
        ? 'kind: prompt\nname: new\nbody: b'
        : 'kind: skill\nname: new\ndescription: d\nbody: b';
    const before = (await world.client()[list].list({})).items.length;
    expect(await world.actions(text)).toEqual(['created']);
    expect((await world.client()[list].list({})).items).toHaveLength(before + 1);
  });
});

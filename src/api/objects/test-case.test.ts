import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { toolBench, unruly } from '../../../test/tool-bench.ts';
import { verifies } from '../../../test/verifies.ts';
import { apply } from '../files/apply.ts';

let world: NounWorld;
const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  const server = (name: string) =>
    JSON.stringify({ kind: 'mcp-server', name, transport: unruly().transport });
  const version = (name: string, status: string, more: object) => ({
    name,
    status,
    model: 'offline',
    ...more,
  });
  const agents = [
    {
      name: 'bot',
      versions: [
        version('v1', 'active', { mcpServers: ['one'], skills: ['tidy-up'] }),
        version('v2', 'active', { mcpServers: ['one', 'two'] }),
        version('bare', 'draft', {}),
        version('blind', 'draft', { mcpServers: ['one', 'unreachable'] }),
      ],
      deployments: { dev: 'v1' },
    },
    { name: 'drafts only', versions: [version('v1', 'draft', {})] },
  ].map((agent) => JSON.stringify({ kind: 'agent', ...agent }));
  const unreachable = {
    kind: 'mcp-server',
    name: 'unreachable',
    transport: { type: 'stdio', command: 'no-such-program' },
  };
  const skill = 'kind: skill\nname: tidy-up\ndescription: d\nbody: b';
  const text = [server('one'), server('two'), JSON.stringify(unreachable), skill, ...agents].join('\n---\n');
  await apply(world.context({ tools }), { files: [{ path: 'f.yaml', text }], variables: {} });
});
afterAll(async () => {
  await tools.close();
  await world.close();
});

const document = (name: string, more: object = {}) => ({
  name,
  agent: 'bot',
  environment: 'dev',
  agentVersion: 'auto',
  conversation: { type: 'single' as const, request: 'hi' },
  repeat: 1,
  pass: 'all' as const,
  checks: [],
  ...more,
});
const asFile = (body: object) => JSON.stringify({ kind: 'test-case', ...body });

async function warningsOf(name: string, more: object): Promise<string[]> {
  const applied = await world.apply(asFile(document(name, more)));
  const saved = await world.client().testCases.get({ id: applied.objects[0]?.id as string });
  expect(saved.warnings).toEqual(applied.warnings.map(({ message }) => message));
  return saved.warnings;
}

test(verifies('a case names one agent and one environment, by name or id', 'M13'), async () => {
  const saved = await world.client().testCases.create(document('named'));
  expect(saved.document).toMatchObject({ agent: 'bot', environment: 'dev', agentVersion: 'auto' });
  for (const [field, value, message] of [
    ['agent', 'bto', 'agent: there is no agent "bto"; the closest is "bot"'],
    ['environment', 'div', 'environment: there is no environment "div"; the closest is "dev"'],
  ] as const) {
    const refusal = await refusalOf(world.client().testCases.create(document('refused', { [field]: value })));
    expect(refusal).toMatchObject({ code: 'invalid_input', details: [{ field, value }] });
    expect(refusal.message).toBe(message);
  }
  const missing = await refusalOf(
    world.apply('kind: test-case\nname: n\nconversation: { type: single, request: hi }'),
  );
  expect(missing.details.map(({ field, message }) => `${field} ${message}`)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^agent /), expect.stringMatching(/^environment /)]),
  );
});

test(verifies('a case is pinned to a version by name or id, and is Auto by default', 'M15'), async () => {
  const { testCases } = world.client();
  const created = await testCases.create(document('pinned'));
  expect(created.document.agentVersion).toBe('auto');
  const pinned = await testCases.update({
    id: created.id,
    ...document('pinned', { agentVersion: 'bare' }),
  });
  expect(pinned).toMatchObject({ revision: 2, document: { agentVersion: 'bare' } });
  const row = await world.database.system
    .selectFrom('test_case')
    .selectAll()
    .where('id', '=', created.id)
    .executeTakeFirstOrThrow();
  const byId = { id: created.id, ...document('pinned', { agentVersion: row.pinned_version_id }) };
  expect((await testCases.update(byId)).document.agentVersion).toBe('bare');
  const refusal = await refusalOf(testCases.update({ ...byId, agentVersion: 'v9' }));
  expect(refusal.message).toBe(
    'agentVersion: must be auto or a version of the agent "bot", which has "v1", "v2", "bare", "blind", not "v9"',
  );
});

describe('a tool or skill that the answering version does not offer is warned of, and saved', () => {
  const called = (tool: string) => ({ checks: [{ type: 'tool_called', tool }] });

  test(verifies('naming the closest that it offers', 'M30'), async () => {
    expect(await warningsOf('typo', called('lok'))).toEqual([
      'The version "v1", which answers now, does not offer a tool "lok"; the closest it offers is "look".',
    ]);
    expect(await warningsOf('right', called('look'))).toEqual([]);
    expect(await warningsOf('skill typo', { checks: [{ type: 'skill_used', skill: 'tidy' }] })).toEqual([
      'The version "v1", which answers now, has no skill "tidy"; the closest it has is "tidy-up".',
    ]);
  });

  test(verifies('where two servers offer one name, only server/tool is known', 'M30'), async () => {
    const [warning] = await warningsOf('ambiguous', { agentVersion: 'v2', ...called('look') });
    expect(warning).toContain(
      'offers more than one tool "look"; the check must name one of one/look, two/look',
    );
    expect(await warningsOf('clear', { agentVersion: 'v2', ...called('two/look') })).toEqual([]);
  });

  test('checks of golden turns are looked at too', async () => {
    const turns = [{ user: 'hi', checks: [{ type: 'tool_not_called', tool: 'erease' }] }];
    const [warning] = await warningsOf('golden', { conversation: { type: 'golden', turns } });
    expect(warning).toContain('closest it offers is "erase"');
  });

  test('the pinned version counts, else the deployed one, else the newest active one, else none', async () => {
    expect((await warningsOf('pin', { agentVersion: 'bare', ...called('look') }))[0]).toContain(
      'offers no tool at all',
    );
    expect(await warningsOf('deployed', called('look'))).toEqual([]);
    // nothing is deployed in prod, and v2 is the newest active version, with two servers
    expect((await warningsOf('newest', { environment: 'prod', ...called('look') }))[0]).toContain(
      'version "v2"',
    );
    expect(await warningsOf('none', { agent: 'drafts only', ...called('look') })).toEqual([]);
  });

  test('nothing is said of tools where a server was never reached', async () => {
    expect(await warningsOf('unknown', { agentVersion: 'blind', ...called('anything') })).toEqual([]);
  });
});

describe('refused, with nothing saved', () => {
  test.each([
    ['an unknown kind of check', { checks: [{ type: 'tool_cald', tool: 'x' }] }, 'checks[0].type'],
    ['an empty tool name', { checks: [{ type: 'tool_called', tool: '' }] }, 'checks[0].tool'],
    ['an unknown end reason', { checks: [{ type: 'ended_as', reason: 'bored' }] }, 'checks[0].reason'],
    [
      'an unknown object kind',
      { checks: [{ type: 'object_exists', object: 'dog', name: 'x' }] },
      'checks[0].object',
    ],
    [
      'an empty object name',
      { checks: [{ type: 'object_absent', object: 'agent', name: '' }] },
      'checks[0].name',
    ],
  ])(verifies('%s', 'M42'), async (_, more, field) => {
    const refusal = await refusalOf(world.apply(asFile(document('bad check', more))));
    expect(refusal.details).toMatchObject([{ file: 'f.yaml', line: 1, field }]);
    expect(await world.export()).not.toContain('bad check');
  });

  test.each([
    ['a repeat of nothing', { repeat: 0 }, 'repeat'],
    ['more passes than conversations', { repeat: 2, pass: { atLeast: 3 } }, 'pass.atLeast'],
    ['an unknown conversation', { conversation: { type: 'chat' } }, 'conversation.type'],
    ['a blank request', { conversation: { type: 'single', request: ' ' } }, 'conversation.request'],
    ['golden without turns', { conversation: { type: 'golden', turns: [] } }, 'conversation.turns'],
    ['an environment override of another kind', { environments: ['dev'] }, 'environments'],
  ])('%s', async (_, more, field) => {
    const refusal = await refusalOf(world.apply(asFile(document('bad case', more))));
    expect(refusal.details.map((detail) => detail.field)).toEqual([field]);
    expect(await world.export()).not.toContain('bad case');
  });
});

test(verifies('the stored case keeps the literal placeholder', 'M46'), async () => {
  const more = {
    conversation: {
      type: 'golden' as const,
      turns: [{ user: 'make {{run}}', expected: 'made {{run}}', checks: [] }],
    },
    expectedResult: 'there is {{run}}',
    checks: [
      { type: 'object_exists' as const, object: 'prompt' as const, name: 'p-{{run}}', createdDuring: true },
    ],
  };
  const { id } = await world.client().testCases.create(document('placeholder', more));
  expect((await world.client().testCases.get({ id })).document).toMatchObject(more);
});

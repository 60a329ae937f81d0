// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how object files write variables
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { secrets } from '../../../test/tool-bench.ts';
import type { FrozenAgent } from '../../core/frozen.ts';
import { createSubjectLoader } from '../testing/worker/frozen-subjects.ts';
import { contentHash } from './content-hash.ts';
import { freezeVersion } from './freeze-version.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const server = (name: string, more: { host?: string; targets?: object } = {}) =>
  JSON.stringify({
    kind: 'mcp-server',
    name,
    transport: {
      type: 'http',
      url: `https://${more.host ?? 'tools.example'}/mcp`,
      headers: { Authorization: '${TOKEN}' },
    },
    targets: more.targets ?? {},
  });
const agent = (name: string, status: string, more: object = {}) =>
  JSON.stringify({
    kind: 'agent',
    name,
    versions: [
      { name: 'v1', status, model: 'offline', prompts: [`${name} tone`], mcpServers: [name], ...more },
    ],
  });
const tone = (name: string, body: string) => `kind: prompt\nname: ${name} tone\nbody: ${body}\n`;

/** An agent with one version, one prompt and one server, all named after it. */
async function make(name: string, status: 'draft' | 'active'): Promise<void> {
  await world.apply([tone(name, 'brief'), server(name), agent(name, status)].join('\n---\n'), {
    TOKEN: 'first',
  });
}

async function freeze(name: string, environment: 'dev' | 'prod' = 'dev') {
  const workspaceId = world.context().workspace.id;
  const { system } = world.database;
  const row = await system
    .selectFrom('agent_version as v')
    .innerJoin('agent as a', 'a.id', 'v.agent_id')
    .select(['v.id as versionId', 'a.id as agentId'])
    .where('a.name', '=', name)
    .executeTakeFirstOrThrow();
  const { id: environmentId } = await system
    .selectFrom('environment')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', environment)
    .executeTakeFirstOrThrow();
  return world.database.inWorkspace(workspaceId, (transaction) =>
    freezeVersion(transaction, workspaceId, { id: row.agentId, name }, row.versionId, environmentId),
  );
}

function tokenOf(frozen: FrozenAgent): string {
  const transport = frozen.mcpServers[0]?.transport;
  if (transport?.type !== 'http') throw new Error('no http server');
  return secrets.open(transport.headers.Authorization as never);
}

describe('a draft', () => {
  test('is taken as it is now', async () => {
    await make('drafted', 'draft');
    const before = await freeze('drafted');
    await world.apply(tone('drafted', 'loud'));
    const after = await freeze('drafted');
    expect([before, after].map(({ frozen }) => frozen.prompts[0]?.body)).toEqual(['brief', 'loud']);
    expect(after.contentHash).not.toBe(before.contentHash);
  });

  test('that names something that is gone cannot be frozen', async () => {
    await make('dangling', 'draft');
    await world.database.system
      .updateTable('prompt')
      .set({ archived_at: new Date() })
      .where('name', '=', 'dangling tone')
      .execute();
    const refusal = await refusalOf(freeze('dangling'));
    expect(refusal.code).toBe('rule_violated');
    expect(refusal.message).toBe(
      'Version "v1" of the agent "dangling" names the prompt "dangling tone", which does not exist.',
    );
  });
});

describe('an active version', () => {
  test('stays as it became active, whatever its parts are now', async () => {
    await make('active', 'active');
    const before = await freeze('active');
    await world.apply(`${tone('active', 'loud')}---\n${server('active', { host: 'moved.example' })}`, {
      TOKEN: 'first',
    });
    const after = await freeze('active');
    expect(after.frozen.prompts).toEqual([{ name: 'active tone', body: 'brief' }]);
    expect(after.frozen.mcpServers[0]?.transport).toMatchObject({ url: 'https://tools.example/mcp' });
    expect(after.contentHash).toBe(before.contentHash);
  });

  test('uses the targets of the environment, which count for the hash', async () => {
    await make('targeted', 'active');
    const real = await freeze('targeted');
    await world.apply(server('targeted', { targets: { dev: { mode: 'mock' } } }));
    const mocked = await freeze('targeted');
    expect(real.frozen.mcpServers[0]?.target).toEqual({ mode: 'real', endpoint: null });
    expect(mocked.frozen.mcpServers[0]?.target).toEqual({ mode: 'mock', endpoint: null });
    expect(mocked.contentHash).not.toBe(real.contentHash);
    expect((await freeze('targeted', 'prod')).contentHash).toBe(real.contentHash);
  });

  test('uses a rotated secret at once, and is the same content', async () => {
    await make('rotated', 'active');
    const before = await freeze('rotated');
    await world.apply(server('rotated'), { TOKEN: 'second' });
    const after = await freeze('rotated');
    expect([before, after].map(({ frozen }) => tokenOf(frozen))).toEqual(['first', 'second']);
    expect(after.contentHash).toBe(before.contentHash);
  });

  test('never sends the new secret of a server that has moved to the old place', async () => {
    await make('moved', 'active');
    await world.apply(server('moved', { host: 'moved.example' }), { TOKEN: 'for the new host' });
    const { frozen } = await freeze('moved');
    expect(frozen.mcpServers[0]?.transport).toMatchObject({ url: 'https://tools.example/mcp' });
    expect(tokenOf(frozen)).toBe('first');
  });
});

test('the new secret of a program that was changed does not go to the frozen one', async () => {
  const program = (packageName: string) =>
    JSON.stringify({
      kind: 'mcp-server',
      name: 'changed program',
      transport: {
        type: 'stdio',
        command: 'no-such-npx',
        args: ['-y', packageName],
        env: { TOKEN: '${TOKEN}' },
      },
    });
  const made = [tone('changed program', 'brief'), program('bad@1'), agent('changed program', 'active')];
  await world.apply(made.join('\n---\n'), { TOKEN: 'first' });
  await world.apply(program('good@1'), { TOKEN: 'for the good one' });
  const { frozen } = await freeze('changed program');
  const transport = frozen.mcpServers[0]?.transport;
  if (transport?.type !== 'stdio') throw new Error('no stdio server');
  expect(transport.args).toEqual(['-y', 'bad@1']);
  expect(secrets.open(transport.env.TOKEN as never)).toBe('first');
});

test('a run that was queued before a secret was rotated uses the new one, and the stored copy stays', async () => {
  await make('queued', 'active');
  const { frozen, contentHash } = await freeze('queued');
  const { system } = world.database;
  const workspaceId = world.context().workspace.id;
  await system
    .insertInto('frozen_subject')
    .values({ workspace_id: workspaceId, content_hash: contentHash, body: JSON.stringify(frozen) })
    .execute();
  await world.apply(server('queued'), { TOKEN: 'second' });
  const load = createSubjectLoader(world.database);
  expect(tokenOf(await load({ workspaceId, runId: 'one' }, contentHash))).toBe('second');
  await world.apply(server('queued'), { TOKEN: 'third' });
  expect(tokenOf(await load({ workspaceId, runId: 'two' }, contentHash))).toBe('third');
  const stored = await system
    .selectFrom('frozen_subject')
    .select('body')
    .where('content_hash', '=', contentHash)
    .executeTakeFirstOrThrow();
  expect(stored.body).toEqual(frozen);
});

test('the hash is the same however often a secret is sealed, and another for every other change', () => {
  const server = (changes: object = {}) => ({
    id: 'm',
    name: 'm',
    transport: { type: 'stdio' as const, command: 'c', args: ['x'], env: { $sealed: secrets.seal('one') } },
    profile: 'standard' as const,
    isolation: 'run' as const,
    target: { mode: 'real' as const, endpoint: null },
    ...changes,
  });
  const frozen = (changes: Partial<FrozenAgent> = {}): FrozenAgent => ({
    kind: 'native',
    agent: { id: 'a', name: 'a' },
    version: { id: 'v', name: 'v' },
    model: 'offline',
    instructions: 'i',
    prompts: [{ name: 'p', body: 'b' }],
    skills: [{ name: 's', description: 'd', body: 'b' }],
    mcpServers: [server()],
    limits: { modelCalls: 1, tokens: 1, seconds: 1 },
    ...changes,
  });
  const hash = contentHash(frozen());
  expect(contentHash(frozen())).toBe(hash);
  const { transport } = server();
  const changed = [
    frozen({ version: { id: 'w', name: 'v' } }),
    frozen({ model: 'openai:x' }),
    frozen({ instructions: '' }),
    frozen({ prompts: [] }),
    frozen({ skills: [{ name: 's', description: 'e', body: 'b' }] }),
    frozen({ limits: { modelCalls: 1, tokens: 2, seconds: 1 } }),
    frozen({ mcpServers: [server({ profile: 'long' })] }),
    frozen({ mcpServers: [server({ target: { mode: 'mock', endpoint: null } })] }),
    frozen({ mcpServers: [server({ transport: { ...transport, args: ['y'] } })] }),
    frozen({ mcpServers: [server({ transport: { ...transport, env: { OTHER: secrets.seal('one') } } })] }),
  ];
  expect(new Set([hash, ...changed.map(contentHash)]).size).toBe(changed.length + 1);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how documents write secrets
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../test/noun-world.ts';
import { refused } from '../../test/refused.ts';
import { installedServer, secrets, toolBench, unruly } from '../../test/tool-bench.ts';
import type { AssayClient } from '../contract/client.ts';

let world: NounWorld;
let client: AssayClient;
let folder: string;
const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  client = world.client({ tools });
  folder = await mkdtemp(join(tmpdir(), 'assay-mcp-servers-'));
});
afterAll(async () => {
  await tools.close();
  await world.close();
  await rm(folder, { recursive: true });
});

const unknownId = '01890000-0000-7000-8000-000000000000';
type Document = Parameters<AssayClient['mcpServers']['create']>[0];
type Secret = string | { template: string; value?: string };

const http = (name: string, more: { url?: string; headers?: Record<string, Secret> } = {}): Document => ({
  name,
  transport: { type: 'http', url: more.url ?? 'http://127.0.0.1:1/mcp', headers: more.headers ?? {} },
});
const stdio = (name: string, args: string[] = [], env: Record<string, Secret> = {}): Document => {
  const { transport } = unruly('unruly', args);
  return { name, transport: { ...transport, env } as Document['transport'] };
};
const withToken = { template: 'Bearer ${TOKEN}', value: 'Bearer canary-first' };

/** Opens the stored secrets of a server. */
async function storedSecrets(id: string): Promise<Record<string, string>> {
  const { transport } = await world.database.system
    .selectFrom('mcp_server')
    .select('transport')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const sealed =
    transport.type === 'stdio' ? transport.env : transport.type === 'http' ? transport.headers : {};
  return Object.fromEntries(Object.entries(sealed).map(([name, value]) => [name, secrets.open(value)]));
}

describe('a server over the operations', () => {
  test('tells its tools when it is created, with the hints that it gives', async () => {
    const created = await client.mcpServers.create({ ...stdio('told'), profile: 'long', isolation: 'run' });
    expect(created).toMatchObject({ name: 'told', revision: 1, warnings: [] });
    expect(created.document).toMatchObject({ profile: 'long', isolation: 'run', targets: {} });
    expect(created.toolsAt).toMatch(/^\d{4}-.*Z$/);
    const found = new Map(created.tools?.map((tool) => [tool.name, tool]));
    expect(found.get('undeclared')).toEqual({
      name: 'undeclared',
      description: 'Declares nothing about itself',
      annotations: {},
      inputSchema: { type: 'object' },
    });
    expect(found.get('look')).toMatchObject({ title: 'Look', annotations: { readOnlyHint: true } });
    expect(await client.mcpServers.get({ id: created.id })).toEqual(created);
    const { items } = await client.mcpServers.list({ search: 'told' });
    expect(items).toMatchObject([
      { id: created.id, transport: 'stdio', tools: found.size, toolsAt: created.toolsAt },
    ]);
  });

  test('that cannot be reached is saved with a warning, and its tools are not known', async () => {
    const created = await client.mcpServers.create(http('silent'));
    expect(created).toMatchObject({ tools: null, toolsAt: null });
    expect(created.warnings).toEqual([
      expect.stringMatching(
        /^MCP server "silent" could not be reached \(http:\/\/127\.0\.0\.1:1\/mcp\)\. .*refused.* by a refresh or the next apply\.$/,
      ),
    ]);
    expect((await client.mcpServers.list({ search: 'silent' })).items).toMatchObject([
      { transport: 'http', tools: null, toolsAt: null },
    ]);
  });

  test('keeps its tools, and when it told them, where only its settings change', async () => {
    const { id, toolsAt, tools: before } = await client.mcpServers.create(stdio('settled'));
    const updated = await client.mcpServers.update({ ...stdio('settled'), id, profile: 'extended' });
    expect(updated).toMatchObject({ revision: 2, toolsAt, document: { profile: 'extended' } });
    expect(updated.tools).toEqual(before);
  });

  test('is asked again when its program changes', async () => {
    const { id } = await client.mcpServers.create(stdio('swapped'));
    const { transport } = installedServer('everything', ['stdio']);
    const document = { name: 'swapped', transport: transport as Document['transport'] };
    const updated = await client.mcpServers.update({ ...document, id });
    expect(updated.tools?.map(({ name }) => name)).toContain('get-tiny-image');
    expect(updated.tools?.map(({ name }) => name)).not.toContain('undeclared');
  });

  test('leaves an audit row without a word of its secrets', async () => {
    const { id } = await client.mcpServers.create(http('noted', { headers: { A: withToken } }));
    const { items } = await client.auditLog({ objectId: id });
    expect(items).toMatchObject([{ action: 'mcp-server.create', objectName: 'noted' }]);
    expect(JSON.stringify(items)).not.toContain('canary');
  });
});

describe('another name', () => {
  test('keeps the secrets, the tools and what names the server', async () => {
    const { id } = await client.mcpServers.create(stdio('before', [], { TOKEN: withToken }));
    await client.agents.create({
      name: 'follows',
      versions: [
        { name: 'v1', status: 'active', model: 'offline', mcpServers: ['before'] },
        { name: 'v2', model: 'offline', mcpServers: ['before'] },
      ],
    });
    const kept = { template: '${TOKEN}' };
    const renamed = await client.mcpServers.update({ ...stdio('after', [], { TOKEN: kept }), id: 'before' });
    expect(renamed).toMatchObject({ id, name: 'after', revision: 2, warnings: [] });
    expect(renamed.tools).not.toBeNull();
    expect(await storedSecrets(id)).toEqual({ TOKEN: 'Bearer canary-first' });
    const { versions } = (await client.agents.get({ id: 'follows' })).document;
    expect(versions.map(({ mcpServers }) => mcpServers)).toEqual([['after'], ['after']]);
  });

  test('does not take the secrets of the server that had it', async () => {
    const victim = await client.mcpServers.create(http('victim', { headers: { A: withToken } }));
    const { id } = await client.mcpServers.create(http('thief', { url: 'http://127.0.0.1:2/mcp' }));
    const stolen = http('victim', {
      url: 'http://127.0.0.1:2/mcp',
      headers: { A: { template: '${TOKEN}' } },
    });
    await refused(world, () => client.mcpServers.update({ ...stolen, id }), {
      code: 'invalid_input',
      field: 'transport.headers.A',
      message: 'needs a value: TOKEN is not set, and no value is stored',
    });
    await refused(world, () => client.mcpServers.update({ ...http('victim'), id }), {
      code: 'conflict',
      field: 'name',
      message: 'There is already an MCP server named "victim"',
    });
    expect(await storedSecrets(victim.id)).toEqual({ A: 'Bearer canary-first' });
  });

  test('of a server that does not exist is not found, and nothing is started', async () => {
    await refused(world, () => client.mcpServers.update({ ...stdio('x', ['--refuse']), id: unknownId }), {
      code: 'not_found',
      field: 'id',
      message: `There is no MCP server "${unknownId}".`,
    });
  });
});

describe('secrets', () => {
  test('come out of no operation', async () => {
    const created = await client.mcpServers.create(
      stdio('secretive', ['--talkative'], { TOKEN: { template: '${TOKEN}', value: 'canary-second' } }),
    );
    const { id } = created;
    const told = [
      created,
      await client.mcpServers.get({ id }),
      await client.mcpServers.list({ search: 'secretive' }),
      await client.mcpServers.test({ id }),
      await client.mcpServers.refreshTools({ id }),
      await client.export({ kind: 'mcp-server', name: 'secretive' }),
      await client.auditLog({ objectId: id }),
    ];
    expect(JSON.stringify(told)).not.toContain('canary');
    expect(created.tools?.find(({ name }) => name === 'look')?.description).toBe('Reads as [redacted]');
    expect(created.document.transport).toMatchObject({ env: { TOKEN: { template: '${TOKEN}' } } });
  });

  test('do not stand in what a test says of a server that repeats them', async () => {
    const script = 'console.error("bad token", process.env.TOKEN); process.exit(3)';
    const { id } = await client.mcpServers.create({
      name: 'repeats',
      transport: {
        type: 'stdio',
        command: process.execPath,
        args: ['-e', script],
        env: { TOKEN: 'canary-third-of-all' },
      },
    });
    const tested = await client.mcpServers.test({ id });
    expect(tested).toMatchObject({ ok: false, tools: [] });
    expect(tested.message).toContain('bad token [redacted]');
    expect((await refusalOf(client.mcpServers.refreshTools({ id }))).message).toContain('[redacted]');
  });

  test.each([
    [
      'host',
      http('moved', { url: 'https://elsewhere.invalid/mcp', headers: { A: { template: '${TOKEN}' } } }),
    ],
    [
      'kind of transport',
      {
        name: 'moved',
        transport: {
          type: 'stdio' as const,
          command: 'no-such-program',
          env: { A: { template: '${TOKEN}' } },
        },
      },
    ],
  ])('are asked for again with another %s', async (what, document) => {
    const name = `moved to another ${what}`;
    const { id } = await client.mcpServers.create(http(name, { headers: { A: withToken } }));
    const isMove = document.transport.type === 'http';
    await refused(world, () => client.mcpServers.update({ ...document, name, id }), {
      code: 'invalid_input',
      field: isMove ? 'transport.headers.A' : 'transport.env.A',
      message: isMove ? 'would go to https://elsewhere.invalid now' : 'needs a value',
    });
  });

  test('are asked for again with another command', async () => {
    const { id } = await client.mcpServers.create(stdio('other program', [], { TOKEN: withToken }));
    const document = stdio('other program', ['--modern-only'], { TOKEN: { template: '${TOKEN}' } });
    await refused(world, () => client.mcpServers.update({ ...document, id }), {
      code: 'invalid_input',
      field: 'transport.env.TOKEN',
      message: 'must be given again, because the secret would go to another program',
    });
  });
});

describe('a stdio server runs a program, so an editor may', () => {
  const editor = () => world.client({ role: 'editor', tools });
  const forbidden = { code: 'forbidden', field: 'transport.type' };

  test('not create one', async () => {
    await refused(world, () => editor().mcpServers.create(stdio('by an editor')), {
      ...forbidden,
      message: 'may be stdio only where an admin defines it',
    });
  });

  test('not change, rename or replace one that an admin made', async () => {
    const { id } = await client.mcpServers.create(stdio('by an admin'));
    const attempts = [
      { ...stdio('by an admin', ['--refuse']), id },
      { ...stdio('by an admin'), profile: 'long' as const, id },
      { ...stdio('renamed by an editor'), id },
    ];
    for (const attempt of attempts) {
      await refused(world, () => editor().mcpServers.update(attempt), {
        ...forbidden,
        message: 'may be stdio only where an admin defines it',
      });
    }
    await refused(world, () => editor().mcpServers.update({ ...http('by an admin'), id }), {
      ...forbidden,
      message: 'cannot become http: "by an admin" is a stdio server, which only an admin may change',
    });
  });

  test('not make one of a server over HTTP', async () => {
    const { id } = await editor().mcpServers.create(http('was http'));
    await refused(world, () => editor().mcpServers.update({ ...stdio('was http'), id }), {
      ...forbidden,
      message: 'may be stdio only where an admin defines it',
    });
  });

  test('test and refresh it, and say where its calls go', async () => {
    const { id } = await client.mcpServers.create(stdio('shared'));
    expect(await editor().mcpServers.test({ id })).toMatchObject({ ok: true });
    expect((await editor().mcpServers.refreshTools({ id })).tools).not.toEqual([]);
    const target = { id, environment: 'dev', mode: 'mock' as const };
    expect(await editor().mcpServers.setTarget(target)).toMatchObject({ mode: 'mock' });
  });

  test('and a viewer none of it', async () => {
    await client.mcpServers.create(http('looked at'));
    const viewer = world.client({ role: 'viewer', tools });
    const id = 'looked at';
    for (const attempt of [
      () => viewer.mcpServers.test({ id }),
      () => viewer.mcpServers.refreshTools({ id }),
      () => viewer.mcpServers.setTarget({ id, environment: 'dev', mode: 'real' }),
      () => viewer.mcpServers.archive({ id }),
    ]) {
      await refused(world, attempt, { code: 'forbidden', message: 'needs the role editor' });
    }
    expect(await viewer.mcpServers.get({ id })).toMatchObject({ name: id });
  });
});

describe('a test', () => {
  test('lists the tools of a real server and stores nothing', async () => {
    const { transport } = installedServer('filesystem', [folder]);
    await client.mcpServers.create({ name: 'files', transport: transport as Document['transport'] });
    const before = await world.everything();
    const tested = await client.mcpServers.test({ id: 'files' });
    expect(tested.ok).toBe(true);
    expect(tested.message).toMatch(/^MCP server "files" answers\. It offers \d+ tools\.$/);
    expect(tested.tools.find(({ name }) => name === 'list_directory')).toMatchObject({
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object' },
    });
    expect(await world.everything()).toEqual(before);
  });

  test('of a server that cannot be reached says why, and is no error', async () => {
    await client.mcpServers.create(stdio('refuses', ['--refuse']));
    const before = await world.everything();
    expect(await client.mcpServers.test({ id: 'refuses' })).toEqual({
      ok: false,
      message: expect.stringMatching(/^MCP server "refuses" could not be reached .*API_KEY is not set/s),
      tools: [],
    });
    expect(await world.everything()).toEqual(before);
  });

  test('of one that does not exist is refused', async () => {
    await refused(world, () => client.mcpServers.test({ id: 'nothing' }), {
      code: 'not_found',
      field: 'id',
      message: 'There is no MCP server "nothing".',
    });
  });
});

describe('a refresh', () => {
  test('keeps what the server offers by now; and what was known, where it cannot be asked', async () => {
    const script = join(folder, 'changing.ts');
    const serving = (file: string) => writeFile(script, `import ${JSON.stringify(file)};\n`);
    await serving(join(import.meta.dirname, '../../test/servers/unruly.ts'));
    const created = await client.mcpServers.create({
      name: 'changing',
      transport: { type: 'stdio', command: process.execPath, args: [script, 'stdio'] },
    });
    const { id } = created;
    await serving(
      join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
    );
    const refreshed = await client.mcpServers.refreshTools({ id: 'changing' });
    expect(refreshed.tools.map(({ name }) => name)).toContain('get-tiny-image');
    const after = await client.mcpServers.get({ id });
    expect(after).toMatchObject({ ...refreshed, revision: 1 });
    expect(new Date(after.toolsAt as string).getTime()).toBeGreaterThan(
      new Date(created.toolsAt as string).getTime(),
    );
    const { items } = await client.auditLog({ objectId: id, action: 'mcp-server.refresh-tools' });
    expect(items).toMatchObject([{ objectName: 'changing' }]);

    await rm(script);
    await refused(world, () => client.mcpServers.refreshTools({ id }), {
      code: 'rule_violated',
      field: 'id',
      message: 'MCP server "changing" could not be reached',
    });
    expect(await client.mcpServers.get({ id })).toEqual(after);
  });

  test('is known to the checks of test cases at once', async () => {
    await world.apply(
      [
        'kind: mcp-server\nname: unseen\ntransport: ',
        JSON.stringify(unruly().transport),
        '\n---\nkind: agent\nname: asker\nversions: [{ name: v1, status: active, model: offline, mcpServers: [unseen] }]\ndeployments: { dev: v1 }\n',
        '---\nkind: test-case\nname: asks\nagent: asker\nenvironment: dev\nconversation: { type: single, request: hi }\nchecks: [{ type: tool_called, tool: lok }]\n',
      ].join(''),
    );
    expect((await client.testCases.get({ id: 'asks' })).warnings).toEqual([]);
    await client.mcpServers.refreshTools({ id: 'unseen' });
    expect((await client.testCases.get({ id: 'asks' })).warnings).toEqual([
      expect.stringContaining('"look"'),
    ]);
  });
});

describe('a target', () => {
  test('says where calls go, raises the revision, and is told in the audit log', async () => {
    const { id } = await client.mcpServers.create(http('targeted'));
    const endpoint = 'https://tools.example/mcp';
    const target = { id: 'targeted', environment: 'dev', mode: 'pass-through' as const, endpoint };
    expect(await client.mcpServers.setTarget(target)).toEqual({
      server: 'targeted',
      environment: 'dev',
      mode: 'pass-through',
      endpoint,
    });
    expect(await client.mcpServers.get({ id })).toMatchObject({
      revision: 2,
      document: { targets: { dev: { mode: 'pass-through', endpoint } } },
    });
    const before = await world.everything();
    await client.mcpServers.setTarget(target);
    expect(await world.everything()).toEqual(before);
    expect(await client.mcpServers.setTarget({ id, environment: 'dev', mode: 'real' })).toMatchObject({
      endpoint: null,
    });
    expect((await client.mcpServers.get({ id })).document.targets).toEqual({});
    const { items } = await client.auditLog({ objectId: id, action: 'mcp-server.set-target' });
    expect(items).toHaveLength(2);
  });

  test.each([
    [
      'a mock in a live environment',
      { environment: 'prod', mode: 'mock' },
      'rule_violated',
      'mode',
      'mode must be real, because "prod" is a live environment.',
    ],
    [
      'a pass-through in a live environment',
      { environment: 'prod', mode: 'pass-through' },
      'rule_violated',
      'mode',
      'because "prod" is a live environment',
    ],
    [
      'a mock with an endpoint',
      { mode: 'mock', endpoint: 'https://x.example/' },
      'rule_violated',
      'endpoint',
      'endpoint goes only with real or pass-through',
    ],
    ['an unknown environment', { environment: 'dve' }, 'not_found', 'environment', 'no environment "dve"'],
    ['an unknown server', { id: 'nothing' }, 'not_found', 'id', 'There is no MCP server "nothing"'],
    ['an unknown mode', { mode: 'fake' }, 'invalid_input', 'mode', 'must be one of real, mock, pass-through'],
    [
      'an endpoint that is no address',
      { endpoint: 'file:///etc/passwd' },
      'invalid_input',
      'endpoint',
      'must be an http or https address',
    ],
  ])('%s is refused', async (what, more, code, field, message) => {
    const id = `not ${what}`;
    await client.mcpServers.create(http(id));
    const target = { id, environment: 'dev', mode: 'real' as const, ...more } as never;
    await refused(world, () => client.mcpServers.setTarget(target), { code, field, message });
  });

  test('of a document keeps to the same rules', async () => {
    const targets = {
      dev: { mode: 'mock' as const, endpoint: 'https://x.example/' },
      prod: { mode: 'pass-through' as const },
    };
    const refusal = await refusalOf(client.mcpServers.create({ ...http('ruled'), targets }));
    expect(refusal).toMatchObject({
      code: 'rule_violated',
      details: [{ field: 'targets.dev.endpoint' }, { field: 'targets.prod.mode', value: 'pass-through' }],
    });
  });
});

describe('what a server may not be', () => {
  const cases: [string, object, string, string][] = [
    ['a blank name', { name: '' }, 'name', 'must not be blank'],
    ['no transport', { transport: undefined }, 'transport', 'is needed'],
    ['an unknown transport', { transport: { type: 'ftp' } }, 'transport.type', 'must be one of'],
    ['no command', { transport: { type: 'stdio', command: '' } }, 'transport.command', 'must not be empty'],
    [
      'an address that is none',
      { transport: { type: 'http', url: 'tools.example' } },
      'transport.url',
      'must be an http or https address',
    ],
    ['an unknown profile', { profile: 'fast' }, 'profile', 'must be one of standard, extended, long'],
    ['an unknown isolation', { isolation: 'none' }, 'isolation', 'must be one of run, conversation'],
    ['an unknown environment', { targets: { dve: { mode: 'mock' } } }, 'targets.dve', 'no environment "dve"'],
  ];

  test.each(cases)('%s is refused, created or updated', async (_, more, field, message) => {
    await client.mcpServers.create(http('stays as it is')).catch(() => undefined);
    const document = { ...http('wrong'), ...more } as Document;
    const expected = { code: 'invalid_input', field, message };
    await refused(world, () => client.mcpServers.create(document), expected);
    await refused(world, () => client.mcpServers.update({ ...document, id: 'stays as it is' }), expected);
  });

  test('a secret never stands in the refusal', async () => {
    const headers = { A: { template: '${A}', value: 'canary-fourth' }, B: 5 } as never;
    const document = http('talkative', { url: 'nowhere', headers });
    const refusal = await refusalOf(client.mcpServers.create(document));
    expect(refusal.details.map(({ field }) => field)).toEqual(['transport.url', 'transport.headers.B']);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain('canary');
  });
});

describe('archiving', () => {
  test('is refused while a draft names the server; an active version keeps its own copy', async () => {
    await client.mcpServers.create(http('named'));
    const version = (name: string, more: object) => ({
      name,
      model: 'offline',
      mcpServers: ['named'],
      ...more,
    });
    await client.agents.create({
      name: 'names it',
      versions: [version('v1', { status: 'active' }), version('v2', {})],
    });
    await refused(world, () => client.mcpServers.archive({ id: 'named' }), {
      code: 'rule_violated',
      field: 'id',
      message:
        'The MCP server "named" cannot be archived: the draft version "v2" of the agent "names it" names it.',
    });
    await client.agents.update({
      id: 'names it',
      name: 'names it',
      versions: [version('v2', { mcpServers: [] })],
    });
    expect(await client.mcpServers.archive({ id: 'named' })).toMatchObject({ name: 'named' });
    expect((await client.mcpServers.list({ search: 'named' })).items).toEqual([]);
  });
});

test.each<[string, (client: AssayClient, id: string) => Promise<unknown>]>([
  ['get', (stranger, id) => stranger.mcpServers.get({ id })],
  ['update', (stranger, id) => stranger.mcpServers.update({ ...http('mine'), id })],
  ['archive', (stranger, id) => stranger.mcpServers.archive({ id })],
  ['test', (stranger, id) => stranger.mcpServers.test({ id })],
  ['refreshTools', (stranger, id) => stranger.mcpServers.refreshTools({ id })],
  ['setTarget', (stranger, id) => stranger.mcpServers.setTarget({ id, environment: 'dev', mode: 'real' })],
])('%s of a server of another workspace answers like a missing one', async (what, attempt) => {
  const { id } = await client.mcpServers.create(http(`hidden from ${what}`));
  const stranger = world.client({ only: 'assay', tools });
  const foreign = await refusalOf(attempt(stranger, id));
  const missing = await refusalOf(attempt(stranger, unknownId));
  const told = ({ code, message, details }: typeof foreign) => JSON.stringify({ code, message, details });
  expect(told(foreign).replaceAll(id, unknownId)).toBe(told(missing));
  expect(missing.code).toBe('not_found');
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how documents write secrets
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { LenientClient } from '../../../test/present-revision.ts';
import { refused } from '../../../test/refused.ts';
import {
  httpServer,
  keptToken,
  type ServerDocument,
  stdioServer,
  token,
} from '../../../test/server-documents.ts';
import { installedServer, secrets, toolBench } from '../../../test/tool-bench.ts';

let world: NounWorld;
let client: LenientClient;

const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  client = world.client({ tools });
});
afterAll(async () => {
  await tools.close();
  await world.close();
});

const unknownId = '01890000-0000-7000-8000-000000000000';

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
    const created = await client.mcpServers.create({
      ...stdioServer('told'),
      profile: 'long',
      isolation: 'run',
    });
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
    const created = await client.mcpServers.create(httpServer('silent'));
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
    const { id, toolsAt, tools: before } = await client.mcpServers.create(stdioServer('settled'));
    const updated = await client.mcpServers.update({ ...stdioServer('settled'), id, profile: 'extended' });
    expect(updated).toMatchObject({ revision: 2, toolsAt, document: { profile: 'extended' } });
    expect(updated.tools).toEqual(before);
  });

  test('is asked again when its program changes', async () => {
    const { id } = await client.mcpServers.create(stdioServer('swapped'));
    const { transport } = installedServer('everything', ['stdio']);
    const document = { name: 'swapped', transport: transport as ServerDocument['transport'] };
    const updated = await client.mcpServers.update({ ...document, id });
    expect(updated.tools?.map(({ name }) => name)).toContain('get-tiny-image');
    expect(updated.tools?.map(({ name }) => name)).not.toContain('undeclared');
  });

  test('leaves an audit row without a word of its secrets', async () => {
    const { id } = await client.mcpServers.create(httpServer('noted', { headers: { A: token } }));
    const { items } = await client.auditLog({ objectId: id });
    expect(items).toMatchObject([{ action: 'mcp-server.create', objectName: 'noted' }]);
    expect(JSON.stringify(items)).not.toContain('canary');
  });
});

describe('another name', () => {
  test('keeps the secrets, the tools and what names the server', async () => {
    const { id } = await client.mcpServers.create(stdioServer('before', [], { TOKEN: token }));
    await client.agents.create({
      name: 'follows',
      versions: [
        { name: 'v1', status: 'active', model: 'offline', mcpServers: ['before'] },
        { name: 'v2', model: 'offline', mcpServers: ['before'] },
      ],
    });
    const renamed = await client.mcpServers.update({
      ...stdioServer('after', [], { TOKEN: keptToken }),
      id: 'before',
    });
    expect(renamed).toMatchObject({ id, name: 'after', revision: 2, warnings: [] });
    expect(renamed.tools).not.toBeNull();
    expect(await storedSecrets(id)).toEqual({ TOKEN: 'Bearer canary-first' });
    const { versions } = (await client.agents.get({ id: 'follows' })).document;
    expect(versions.map(({ mcpServers }) => mcpServers)).toEqual([['after'], ['after']]);
  });

  test('does not take the secrets of the server that had it', async () => {
    const victim = await client.mcpServers.create(httpServer('victim', { headers: { A: token } }));
    const { id } = await client.mcpServers.create(httpServer('thief', { url: 'http://127.0.0.1:2/mcp' }));
    const stolen = httpServer('victim', {
      url: 'http://127.0.0.1:2/mcp',
      headers: { A: keptToken },
    });
    await refused(world, () => client.mcpServers.update({ ...stolen, id }), {
      code: 'invalid_input',
      field: 'transport.headers.A',
      message: 'needs a value: TOKEN is not set, and no value is stored',
    });
    await refused(world, () => client.mcpServers.update({ ...httpServer('victim'), id }), {
      code: 'conflict',
      field: 'name',
      message: 'There is already an MCP server named "victim"',
    });
    expect(await storedSecrets(victim.id)).toEqual({ A: 'Bearer canary-first' });
  });

  test('of a server that does not exist is not found, and nothing is started', async () => {
    await refused(
      world,
      () => client.mcpServers.update({ ...stdioServer('x', ['--refuse']), id: unknownId }),
      {
        code: 'not_found',
        field: 'id',
        message: `There is no MCP server "${unknownId}".`,
      },
    );
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
    await client.mcpServers.create(httpServer('stays as it is')).catch(() => undefined);
    const document = { ...httpServer('wrong'), ...more } as ServerDocument;
    const expected = { code: 'invalid_input', field, message };
    await refused(world, () => client.mcpServers.create(document), expected);
    await refused(world, () => client.mcpServers.update({ ...document, id: 'stays as it is' }), expected);
  });

  test('a secret never stands in the refusal', async () => {
    const headers = { A: { template: '${A}', value: 'canary-fourth' }, B: 5 } as never;
    const document = httpServer('talkative', { url: 'nowhere', headers });
    const refusal = await refusalOf(client.mcpServers.create(document));
    expect(refusal.details.map(({ field }) => field)).toEqual(['transport.url', 'transport.headers.B']);
    expect(JSON.stringify([refusal.message, refusal.details])).not.toContain('canary');
  });
});

describe('archiving', () => {
  test('is refused while a draft names the server; an active version keeps its own copy', async () => {
    await client.mcpServers.create(httpServer('named'));
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

test.each<[string, (client: LenientClient, id: string) => Promise<unknown>]>([
  ['get', (stranger, id) => stranger.mcpServers.get({ id })],
  ['update', (stranger, id) => stranger.mcpServers.update({ ...httpServer('mine'), id })],
  ['archive', (stranger, id) => stranger.mcpServers.archive({ id })],
  ['test', (stranger, id) => stranger.mcpServers.test({ id })],
  ['refreshTools', (stranger, id) => stranger.mcpServers.refreshTools({ id })],
  ['setTarget', (stranger, id) => stranger.mcpServers.setTarget({ id, environment: 'dev', mode: 'real' })],
])('%s of a server of another workspace answers like a missing one', async (what, attempt) => {
  const { id } = await client.mcpServers.create(httpServer(`hidden from ${what}`));
  const stranger = world.client({ only: 'assay', tools });
  const foreign = await refusalOf(attempt(stranger, id));
  const missing = await refusalOf(attempt(stranger, unknownId));
  const told = ({ code, message, details }: typeof foreign) => JSON.stringify({ code, message, details });
  expect(told(foreign).replaceAll(id, unknownId)).toBe(told(missing));
  expect(missing.code).toBe('not_found');
});

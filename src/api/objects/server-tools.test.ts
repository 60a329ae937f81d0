import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { refused } from '../../../test/refused.ts';
import { type ServerDocument, stdioServer } from '../../../test/server-documents.ts';
import { installedServer, toolBench, unruly } from '../../../test/tool-bench.ts';
import type { AssayClient } from '../../contract/client.ts';

let world: NounWorld;
let client: AssayClient;
let folder: string;
const { tools } = toolBench();
beforeAll(async () => {
  world = await nounWorld();
  client = world.client({ tools });
  folder = await mkdtemp(join(tmpdir(), 'assay-server-tools-'));
});
afterAll(async () => {
  await tools.close();
  await world.close();
  await rm(folder, { recursive: true });
});

describe('a test', () => {
  test('lists the tools of a real server and stores nothing', async () => {
    const { transport } = installedServer('filesystem', [folder]);
    await client.mcpServers.create({ name: 'files', transport: transport as ServerDocument['transport'] });
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
    await client.mcpServers.create(stdioServer('refuses', ['--refuse']));
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
    await serving(join(import.meta.dirname, '../../../test/servers/unruly.ts'));
    const created = await client.mcpServers.create({
      name: 'changing',
      transport: { type: 'stdio', command: process.execPath, args: [script, 'stdio'] },
    });
    const { id } = created;
    await serving(
      join(
        import.meta.dirname,
        '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
      ),
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

  test('of a server that is changed while it is asked is refused', async () => {
    const script = join(folder, 'taking-its-time.ts');
    const unrulyFile = JSON.stringify(join(import.meta.dirname, '../../../test/servers/unruly.ts'));
    await writeFile(
      script,
      `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(`${script}.log`)}, 'asked ');
await new Promise((resolve) => setTimeout(resolve, 3_000));
await import(${unrulyFile});
`,
    );
    const document = (args: string[]): ServerDocument => ({
      name: 'hasty',
      transport: { type: 'stdio', command: process.execPath, args: [script, ...args] },
    });
    const unasked = world.client();
    const { id } = await unasked.mcpServers.create(document([]));
    const refreshing = refusalOf(client.mcpServers.refreshTools({ id }));
    const asked = () => readFile(`${script}.log`, 'utf8').catch(() => '');
    await expect.poll(asked, { timeout: 20_000 }).toBe('asked ');
    await unasked.mcpServers.update({ ...document(['--modern-only']), id });
    const before = await world.everything();
    expect(await refreshing).toMatchObject({
      code: 'conflict',
      message: 'The MCP server "hasty" was changed while it was asked for its tools. Ask again.',
    });
    expect(await world.everything()).toEqual(before);
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

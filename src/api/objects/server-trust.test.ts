// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how documents write secrets
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { LenientClient } from '../../../test/present-revision.ts';
import { refused } from '../../../test/refused.ts';
import { httpServer, keptToken, stdioServer, token } from '../../../test/server-documents.ts';
import { toolBench } from '../../../test/tool-bench.ts';

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

describe('secrets', () => {
  test('come out of no operation', async () => {
    const created = await client.mcpServers.create(
      stdioServer('secretive', ['--talkative'], { TOKEN: { template: '${TOKEN}', value: 'canary-second' } }),
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
    expect(created.document.transport).toEqual(
      expect.objectContaining({ env: { TOKEN: { template: '${TOKEN}' } } }),
    );
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
    ['host', httpServer('moved', { url: 'https://elsewhere.invalid/mcp', headers: { A: keptToken } })],
    [
      'kind of transport',
      {
        name: 'moved',
        transport: {
          type: 'stdio' as const,
          command: 'no-such-program',
          env: { A: keptToken },
        },
      },
    ],
  ])('are asked for again with another %s', async (what, document) => {
    const name = `moved to another ${what}`;
    const { id } = await client.mcpServers.create(httpServer(name, { headers: { A: token } }));
    const isMove = document.transport.type === 'http';
    await refused(world, () => client.mcpServers.update({ ...document, name, id }), {
      code: 'invalid_input',
      field: isMove ? 'transport.headers.A' : 'transport.env.A',
      message: isMove ? 'would go to https://elsewhere.invalid now' : 'needs a value',
    });
  });

  test('are asked for again with another command', async () => {
    const { id } = await client.mcpServers.create(stdioServer('other program', [], { TOKEN: token }));
    const document = stdioServer('other program', ['--modern-only'], { TOKEN: keptToken });
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
    await refused(world, () => editor().mcpServers.create(stdioServer('by an editor')), {
      ...forbidden,
      message: 'may be stdio only where an admin defines it',
    });
  });

  test('not change, rename or replace one that an admin made', async () => {
    const { id } = await client.mcpServers.create(stdioServer('by an admin'));
    const attempts = [
      { ...stdioServer('by an admin', ['--refuse']), id },
      { ...stdioServer('by an admin'), profile: 'long' as const, id },
      { ...stdioServer('renamed by an editor'), id },
    ];
    for (const attempt of attempts) {
      await refused(world, () => editor().mcpServers.update(attempt), {
        ...forbidden,
        message: 'may be stdio only where an admin defines it',
      });
    }
    await refused(world, () => editor().mcpServers.update({ ...httpServer('by an admin'), id }), {
      ...forbidden,
      message: 'cannot become http: "by an admin" is a stdio server, which only an admin may change',
    });
  });

  test('not make one of a server over HTTP', async () => {
    const { id } = await editor().mcpServers.create(httpServer('was http'));
    await refused(world, () => editor().mcpServers.update({ ...stdioServer('was http'), id }), {
      ...forbidden,
      message: 'may be stdio only where an admin defines it',
    });
  });

  test('test and refresh it, and say where its calls go', async () => {
    const { id } = await client.mcpServers.create(stdioServer('shared'));
    expect(await editor().mcpServers.test({ id })).toMatchObject({ ok: true });
    expect((await editor().mcpServers.refreshTools({ id })).tools).not.toEqual([]);
    const target = { id, environment: 'dev', mode: 'mock' as const };
    expect(await editor().mcpServers.setTarget(target)).toMatchObject({ mode: 'mock' });
  });

  test('and a viewer none of it', async () => {
    await client.mcpServers.create(httpServer('looked at'));
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { refused } from '../../../test/refused.ts';
import { httpServer } from '../../../test/server-documents.ts';
import type { AssayClient } from '../../contract/client.ts';

let world: NounWorld;
let client: AssayClient;
beforeAll(async () => {
  world = await nounWorld();
  client = world.client();
});
afterAll(() => world.close());

describe('a target', () => {
  test('says where calls go, raises the revision, and is told in the audit log', async () => {
    const { id } = await client.mcpServers.create(httpServer('targeted'));
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
    await client.mcpServers.create(httpServer(id));
    const target = { id, environment: 'dev', mode: 'real' as const, ...more } as never;
    await refused(world, () => client.mcpServers.setTarget(target), { code, field, message });
  });

  test('of a document keeps to the same rules', async () => {
    const targets = {
      dev: { mode: 'mock' as const, endpoint: 'https://x.example/' },
      prod: { mode: 'pass-through' as const },
    };
    const refusal = await refusalOf(client.mcpServers.create({ ...httpServer('ruled'), targets }));
    expect(refusal).toMatchObject({
      code: 'rule_violated',
      details: [{ field: 'targets.dev.endpoint' }, { field: 'targets.prod.mode', value: 'pass-through' }],
    });
  });
});

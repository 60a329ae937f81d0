import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { apply } from '../files/apply.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
  await world.apply(
    'kind: agent\nname: bot\nversions: [{name: v1, status: active, model: offline}]\ndeployments: {dev: v1}\n---\n' +
      'kind: mcp-server\nname: files\ntransport: { type: stdio, command: no-such-program }',
  );
});
afterAll(() => world.close());

const applyAs = (role: 'editor' | 'admin', text: string) =>
  apply(world.context({ role }), { files: [{ path: 'f.yaml', text }], variables: {} });

test('a workspace begins with dev and the live prod', async () => {
  const { items } = await world.client({ role: 'viewer' }).environments.list({});
  expect(items.map(({ name, live }) => [name, live])).toEqual([
    ['dev', false],
    ['prod', true],
  ]);
  expect(await world.export()).toContain(
    'kind: environment\nname: dev\n---\nkind: environment\nname: prod\nlive: true\n',
  );
});

describe('only an admin', () => {
  test('creates, changes and archives environments', async () => {
    const { environments } = world.client({ role: 'editor' });
    const before = await world.everything();
    const attempts = [
      () => environments.create({ name: 'mine' }),
      () => environments.update({ id: 'dev', name: 'mine' }),
      () => environments.archive({ id: 'dev' }),
    ];
    for (const attempt of attempts) expect((await refusalOf(attempt())).code).toBe('forbidden');
    expect(await world.everything()).toEqual(before);
  });

  test('applies a file that creates or changes them; anybody one in which they are as they are', async () => {
    const before = await world.everything();
    for (const text of ['kind: environment\nname: new', 'kind: environment\nname: dev\nlive: true']) {
      const refusal = await refusalOf(applyAs('editor', `kind: prompt\nname: along\nbody: b\n---\n${text}`));
      expect(refusal).toMatchObject({
        code: 'forbidden',
        details: [{ file: 'f.yaml', line: 6, field: 'name' }],
      });
    }
    expect(await world.everything()).toEqual(before);
    const same = await applyAs('editor', 'kind: environment\nname: prod\nlive: true');
    expect(same.objects).toMatchObject([{ kind: 'environment', name: 'prod', action: 'unchanged' }]);
    const staged = 'kind: environment\nname: staging';
    expect((await applyAs('admin', staged)).objects).toMatchObject([{ action: 'created' }]);
    expect((await applyAs('admin', `${staged}\nlive: true`)).objects).toMatchObject([{ action: 'updated' }]);
    // what is not said is as if it said the usual
    expect((await applyAs('admin', staged)).objects).toMatchObject([{ action: 'updated' }]);
  });
});

test('objects of one file may name an environment of the same file', async () => {
  const text =
    'kind: test-case\nname: there\nagent: bot\nenvironment: fresh\nconversation: {type: single, request: hi}\n---\n' +
    'kind: environment\nname: fresh';
  expect(await world.actions(text)).toEqual(['created', 'created']);
  expect((await world.client().testCases.get({ id: 'there' })).document.environment).toBe('fresh');
});

test('another name is the name everywhere, and what is deployed there stays deployed', async () => {
  const { environments, testCases, agents } = world.client();
  await world.apply(
    'kind: environment\nname: before\n---\n' +
      'kind: agent\nname: mover\nversions: [{name: v1, status: active, model: offline}]\ndeployments: {before: v1}\n---\n' +
      'kind: test-case\nname: moved\nagent: mover\nenvironment: before\nconversation: {type: single, request: hi}',
  );
  await environments.update({ id: 'before', name: 'after' });
  expect((await testCases.get({ id: 'moved' })).document.environment).toBe('after');
  expect((await agents.get({ id: 'mover' })).document.deployments).toEqual({ after: 'v1' });
  expect((await testCases.list({ environment: 'after' })).items).toHaveLength(1);
  const exported = await world.export();
  expect(exported).toContain('after: v1');
  expect(exported).not.toContain('before');
  // a file means the object of its name, so that another name is another object
  expect(await world.actions('kind: environment\nname: before')).toEqual(['created']);
});

describe('an environment in use', () => {
  test('is not archived: what uses it is named', async () => {
    const { environments, mcpServers } = world.client();
    await world.apply(
      'kind: environment\nname: busy\n---\n' +
        'kind: agent\nname: worker\nversions: [{name: v1, status: active, model: offline}]\ndeployments: {busy: v1}\n---\n' +
        'kind: test-case\nname: works there\nagent: worker\nenvironment: busy\nconversation: {type: single, request: hi}\n---\n' +
        'kind: mcp-server\nname: files\ntransport: { type: stdio, command: no-such-program }\ntargets: { busy: { mode: mock } }',
    );
    const refusal = await refusalOf(environments.archive({ id: 'busy' }));
    expect(refusal).toMatchObject({ code: 'rule_violated' });
    expect(refusal.message).toBe(
      'The environment "busy" cannot be archived: version "v1" of the agent "worker" is deployed in it; the MCP server "files" has a target in it (mock); the test case "works there" runs in it.',
    );
    expect(refusal.details).toHaveLength(3);

    await world.client().testCases.archive({ id: 'works there' });
    await mcpServers.setTarget({ id: 'files', environment: 'busy', mode: 'real' });
    const left = await refusalOf(environments.archive({ id: 'busy' }));
    expect(left.details).toMatchObject([{ message: 'version "v1" of the agent "worker" is deployed in it' }]);
    await world.client().agents.archive({ id: 'worker' });
    expect(await environments.archive({ id: 'busy' })).toMatchObject({ name: 'busy' });
  });

  test('does not become live while something is mocked in it', async () => {
    const { environments } = world.client();
    await world.apply(
      'kind: environment\nname: mocked\n---\n' +
        'kind: mcp-server\nname: files\ntransport: { type: stdio, command: no-such-program }\ntargets: { mocked: { mode: pass-through } }',
    );
    const refusal = await refusalOf(environments.update({ id: 'mocked', name: 'mocked', live: true }));
    expect(refusal).toMatchObject({ code: 'rule_violated', details: [{ field: 'live', value: true }] });
    expect(refusal.message).toContain('the target of the MCP server "files" is pass-through there');
    await world.client().mcpServers.setTarget({ id: 'files', environment: 'mocked', mode: 'real' });
    expect(await environments.update({ id: 'mocked', name: 'mocked', live: true })).toMatchObject({
      document: { live: true },
    });
  });
});

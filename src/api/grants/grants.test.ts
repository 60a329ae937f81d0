import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { type LenientClient, withPresentRevision } from '../../../test/present-revision.ts';
import { refused } from '../../../test/refused.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Role } from '../../core/role.ts';
import { localCaller } from '../call/caller.ts';
import { router } from '../router.ts';

/** `assay` provides, `main` receives. */
let world: NounWorld;
let provider: LenientClient;
let consumer: LenientClient;
let ids: { assay: string; main: string };
beforeAll(async () => {
  world = await nounWorld();
  provider = world.client({ workspace: 'assay' });
  consumer = world.client({ workspace: 'main' });
  const { items } = await provider.workspaces.list({});
  ids = Object.fromEntries(items.map(({ name, id }) => [name, id])) as typeof ids;
});
afterAll(() => world.close());

const unknownId = '01890000-0000-7000-8000-000000000000';

function makeAgent(name: string) {
  return provider.agents.create({
    name,
    versions: [
      { name: 'v1', status: 'active', model: 'offline' },
      { name: 'v2', status: 'draft', model: 'offline' },
    ],
    deployments: { dev: 'v1' },
  });
}

async function provide(name: string, more: { usesSecrets?: boolean } = {}) {
  const agent = await makeAgent(name);
  return { agent, grant: await provider.grants.create({ agent: name, workspace: 'main', ...more }) };
}

/** The operations of somebody with another role in each workspace. */
function somebody(roles: { assay: Role | null; main: Role | null }, workspace = 'assay'): LenientClient {
  const roleIn = (id: string) => (id === ids.assay ? roles.assay : id === ids.main ? roles.main : null);
  const { program } = world.context();
  const caller = { ...localCaller, roleIn };
  const context = { caller, workspaceRef: workspace, program };
  return withPresentRevision(createRouterClient(router, { context }));
}

const testCase = (name: string, agent: string, more: object = {}) => ({
  name,
  agent,
  environment: 'dev',
  conversation: { type: 'single' as const, request: 'Hello' },
  ...more,
});

describe('a grant', () => {
  test('makes an agent of the same name in the other workspace, without versions of its own', async () => {
    const { agent, grant } = await provide('provided');
    expect(grant).toEqual({
      id: expect.any(String),
      agent: { id: agent.id, name: 'provided' },
      consumer: { id: ids.main, name: 'main' },
      usesSecrets: false,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const received = await consumer.agents.get({ id: 'provided' });
    expect(received).toMatchObject({
      name: 'provided',
      providedBy: 'assay',
      versions: [],
      deployments: {},
      warnings: [],
      document: { name: 'provided', versions: [], deployments: {} },
    });
    expect(received.id).not.toBe(agent.id);
    expect((await consumer.agents.list({ search: 'provided' })).items).toMatchObject([
      { id: received.id, providedBy: 'assay', versions: [] },
    ]);
    expect((await provider.agents.get({ id: 'provided' })).providedBy).toBeNull();
  });

  test('is told in the audit logs of both workspaces', async () => {
    const { grant } = await provide('noted');
    await provider.grants.revoke({ id: grant.id });
    const { id } = await consumer.agents.get({ id: 'noted' });
    expect((await provider.auditLog({ objectId: grant.id })).items).toMatchObject([
      { action: 'grant.revoke', objectKind: 'grant', objectName: 'noted' },
      { action: 'grant.create', objectKind: 'grant', principal: 'operator:local' },
    ]);
    expect((await consumer.auditLog({ objectId: id })).items).toMatchObject([
      { action: 'agent.lose', objectKind: 'agent', objectName: 'noted' },
      { action: 'agent.receive', objectKind: 'agent' },
    ]);
  });

  test(verifies('gives the agent the next free name where its own is taken', 'O9'), async () => {
    await consumer.agents.create({ name: 'taken' });
    await provide('taken');
    expect((await consumer.agents.get({ id: 'taken' })).providedBy).toBeNull();
    expect((await consumer.agents.get({ id: 'taken (2)' })).providedBy).toBe('assay');
  });

  test('shows nothing of the other workspace but its name', async () => {
    await provider.prompts.create({ name: 'inner prompt', body: 'inner words' });
    await provider.mcpServers.create({
      name: 'inner server',
      transport: { type: 'http', url: 'http://127.0.0.1:1/inner' },
    });
    const parts = { prompts: ['inner prompt'], mcpServers: ['inner server'] };
    const agent = await provider.agents.create({
      name: 'discreet',
      versions: [
        { name: 'v1', status: 'active', model: 'offline', ...parts },
        { name: 'inner draft', model: 'offline', ...parts },
      ],
      deployments: { dev: 'v1' },
    });
    const grant = await provider.grants.create({ agent: 'discreet', workspace: 'main' });
    const seen = somebody({ assay: null, main: 'admin' }, 'main');
    await seen.testCases.create(testCase('discreet case', 'discreet'));
    await seen.testSuites.create({ name: 'discreet suite', testCaseIds: ['discreet case'] });
    const run = await seen.testRuns.start({ testSuiteId: 'discreet suite' });
    const told = JSON.stringify([
      await seen.agents.get({ id: 'discreet' }),
      await seen.agents.list({}),
      await seen.testCases.get({ id: 'discreet case' }),
      await seen.testRuns.get({ testRunId: run.id }),
      await seen.export({}),
      await seen.auditLog({}),
      await seen.grants.list({}),
    ]);
    const secret = [agent.id, grant.id, ids.assay, ...agent.versions.map(({ id }) => id), 'inner'];
    expect(secret.filter((each) => told.includes(each))).toEqual([]);
  });

  test('is listed where the agent is from, page by page, until it is revoked', async () => {
    const other = world.client({ workspace: 'main' });
    const made = ['b', 'a', 'c'].map((name) => `paged ${name}`);
    for (const name of made) {
      await other.agents.create({ name });
      await other.grants.create({ agent: name, workspace: 'assay', usesSecrets: true });
    }
    const first = await other.grants.list({ limit: 2 });
    const rest = await other.grants.list({ limit: 2, cursor: first.nextCursor as string });
    const all = [...first.items, ...rest.items];
    expect(all.map(({ agent }) => agent.name)).toEqual([...made].sort());
    expect(all[0]).toMatchObject({ consumer: { name: 'assay' }, usesSecrets: true });
    expect(rest.nextCursor).toBeNull();
    const { id } = all[0] as (typeof all)[number];
    expect(await other.grants.revoke({ id })).toEqual({ id });
    expect((await other.grants.list({})).items.map(({ agent }) => agent.name)).toEqual([
      'paged b',
      'paged c',
    ]);
  });
});

test('of several who revoke a grant at once one does, and it is told once on each side', async () => {
  const { grant } = await provide('revoked together');
  const { id } = await consumer.agents.get({ id: 'revoked together' });
  const revoking = Array.from({ length: 4 }, () => provider.grants.revoke({ id: grant.id }));
  const ended = await Promise.allSettled(revoking);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(ended.flatMap((each) => (each.status === 'rejected' ? [each.reason.message] : []))).toEqual(
    Array.from({ length: 3 }, () => `There is no grant "${grant.id}".`),
  );
  const actions = async (client: LenientClient, objectId: string) =>
    (await client.auditLog({ objectId })).items.map(({ action }) => action);
  expect(await actions(provider, grant.id)).toEqual(['grant.revoke', 'grant.create']);
  expect(await actions(consumer, id)).toEqual(['agent.lose', 'agent.receive']);
});

test('grants in both directions at once do not wait for each other for ever', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `crossing ${index}`);
  const sides: [LenientClient, string][] = [
    [provider, 'main'],
    [consumer, 'assay'],
  ];
  for (const name of names) for (const [client] of sides) await client.agents.create({ name });
  const made = await Promise.all(
    names.flatMap((agent) => sides.map(([client, workspace]) => client.grants.create({ agent, workspace }))),
  );
  expect(made).toHaveLength(24);
  expect((await consumer.agents.list({ search: 'crossing', limit: 200 })).items).toHaveLength(24);
});

describe('a grant is refused', () => {
  const cases: [string, object, string, string, string][] = [
    ['an unknown agent', { agent: 'nobody' }, 'not_found', 'agent', 'There is no agent "nobody".'],
    ['an unknown id', { agent: unknownId }, 'not_found', 'agent', `There is no agent "${unknownId}".`],
    ['no agent', { agent: '' }, 'invalid_input', 'agent', 'is needed'],
    ['an unknown workspace', { workspace: 'nowhere' }, 'not_found', 'workspace', 'no workspace "nowhere"'],
    [
      'the workspace that the agent is of',
      { workspace: 'assay' },
      'rule_violated',
      'workspace',
      'is the workspace that the agent is of: "assay"',
    ],
    ['no truth value', { usesSecrets: 'yes' }, 'invalid_input', 'usesSecrets', 'must be true or false'],
  ];
  test.each(cases)('%s', async (what, more, code, field, message) => {
    const agent = `refused for ${what}`;
    await makeAgent(agent);
    const input = { agent, workspace: 'main', ...more };
    await refused(world, () => provider.grants.create(input), { code, field, message });
  });

  test('that stands already', async () => {
    await provide('twice');
    await refused(
      world,
      () => provider.grants.create({ agent: 'twice', workspace: ids.main, usesSecrets: true }),
      {
        code: 'conflict',
        field: 'workspace',
        message: 'The agent "twice" is provided to the workspace "main" already.',
      },
    );
  });

  test('of an agent that is provided itself', async () => {
    await provide('lent on');
    await refused(world, () => consumer.grants.create({ agent: 'lent on', workspace: 'assay' }), {
      code: 'rule_violated',
      field: 'agent',
      message: 'The agent "lent on" is provided by the workspace "assay", and can be changed only there.',
    });
  });

  test('by who is no admin here, or no editor there', async () => {
    const { id: agent } = await makeAgent('by whom');
    const input = { agent, workspace: 'main' };
    await refused(world, () => somebody({ assay: 'editor', main: 'admin' }).grants.create(input), {
      code: 'forbidden',
      message: 'needs the role admin in the workspace "assay"',
    });
    // by its id, the agent is one of the workspace that it is in
    await refused(world, () => somebody({ assay: 'editor', main: 'admin' }, 'main').grants.create(input), {
      code: 'forbidden',
      message: 'needs the role admin in the workspace "assay"',
    });
    await refused(world, () => somebody({ assay: 'admin', main: 'viewer' }).grants.create(input), {
      code: 'forbidden',
      message: 'needs the role editor in the workspace "main"',
    });
    expect(await somebody({ assay: 'admin', main: 'editor' }).grants.create(input)).toMatchObject({
      agent: { name: 'by whom' },
    });
  });

  test('to a workspace that the caller may not see, exactly like to one that does not exist', async () => {
    await makeAgent('blind');
    const blind = somebody({ assay: 'admin', main: null });
    const told = async (workspace: string) => {
      const { code, message, details } = await refusalOf(blind.grants.create({ agent: 'blind', workspace }));
      return JSON.stringify({ code, message, details }).replaceAll(workspace, '…');
    };
    expect(await told('main')).toBe(await told('elsewhere'));
    expect(await told(ids.main)).toBe(await told(unknownId));
  });
});

describe('revoking', () => {
  test('leaves the agent where it was received, with a warning, and granting again brings it back', async () => {
    const { grant } = await provide('back and forth');
    const before = await consumer.agents.get({ id: 'back and forth' });
    await provider.grants.revoke({ id: grant.id });
    const after = await consumer.agents.get({ id: before.id });
    expect(after).toMatchObject({
      name: 'back and forth',
      providedBy: 'assay',
      warnings: ['The agent "back and forth" is no longer provided by the workspace "assay".'],
    });
    await provider.grants.create({ agent: 'back and forth', workspace: 'main', usesSecrets: true });
    expect(await consumer.agents.get({ id: 'back and forth' })).toEqual(before);
  });

  test('lets the agent be archived there; granted again it is back, by a free name', async () => {
    const { grant } = await provide('put away');
    const { id } = await consumer.agents.get({ id: 'put away' });
    await provider.grants.revoke({ id: grant.id });
    await consumer.agents.archive({ id });
    await consumer.agents.create({ name: 'put away' });
    await provider.grants.create({ agent: 'put away', workspace: 'main' });
    expect(await consumer.agents.get({ id })).toMatchObject({ name: 'put away (2)', providedBy: 'assay' });
  });

  test('what does not stand is refused', async () => {
    const { grant } = await provide('ended');
    await provider.grants.revoke({ id: grant.id });
    for (const id of [grant.id, unknownId, 'ended']) {
      await refused(world, () => provider.grants.revoke({ id }), {
        code: 'not_found',
        field: 'id',
        message: `There is no grant "${id}".`,
      });
    }
  });

  test('needs an admin of the workspace that provides', async () => {
    const { grant } = await provide('kept');
    const { id } = grant;
    await refused(world, () => somebody({ assay: 'editor', main: 'admin' }, 'main').grants.revoke({ id }), {
      code: 'forbidden',
      message: 'needs the role admin in the workspace "assay"',
    });
    await refused(world, () => somebody({ assay: null, main: 'admin' }, 'main').grants.revoke({ id }), {
      code: 'not_found',
      field: 'id',
      message: `There is no grant "${id}".`,
    });
  });
});

describe('a provided agent', () => {
  const elsewhere = {
    code: 'rule_violated',
    message: 'is provided by the workspace "assay", and can be changed only there',
  };

  test('is not changed, deployed or described by a file where it is received', async () => {
    await provide('untouched');
    const id = 'untouched';
    const version = { name: 'v9', status: 'active' as const, model: 'offline' };
    await refused(world, () => consumer.agents.update({ id, name: 'renamed' }), {
      ...elsewhere,
      field: 'name',
    });
    await refused(world, () => consumer.agents.update({ id, name: id, versions: [version] }), elsewhere);
    await refused(world, () => consumer.agents.deploy({ id, environment: 'dev', version: 'v1' }), {
      ...elsewhere,
      field: 'id',
    });
    const files = [{ path: 'f.yaml', text: 'kind: agent\nname: untouched\n' }];
    await refused(world, () => consumer.apply({ files }), elsewhere);
  });

  test('is left out of an export, and its cases name it', async () => {
    await provide('left out');
    await consumer.testCases.create(testCase('of the left out', 'left out'));
    const { text } = await consumer.export({});
    expect(text).not.toContain('name: left out');
    expect(text).toContain('name: of the left out\nagent: left out\n');
    expect(await refusalOf(consumer.export({ kind: 'agent', name: 'left out' }))).toMatchObject({
      code: 'not_found',
    });
    const files = [{ path: 'f.yaml', text: (await consumer.export({ kind: 'test-case' })).text }];
    const { objects } = await consumer.apply({ files });
    expect(new Set(objects.map(({ action }) => action))).toEqual(new Set(['unchanged']));
  });

  test('is not archived on either side while it is provided', async () => {
    const { grant } = await provide('in use');
    await refused(world, () => provider.agents.archive({ id: 'in use' }), {
      code: 'rule_violated',
      field: 'id',
      message: 'The agent "in use" cannot be archived: it is provided to the workspace "main".',
    });
    await refused(world, () => consumer.agents.archive({ id: 'in use' }), {
      code: 'rule_violated',
      field: 'id',
      message: 'cannot be archived: the workspace "assay" provides it, and can end that.',
    });
    await provider.grants.revoke({ id: grant.id });
    await provider.agents.archive({ id: 'in use' });
    await consumer.agents.archive({ id: 'in use' });
  });

  test(verifies('has no version to choose: neither a case nor a run may', 'M15', 'M23'), async () => {
    const { agent } = await provide('decided there');
    for (const agentVersion of ['v1', agent.versions[0]?.id as string]) {
      const pinned = testCase('pinned', 'decided there', { agentVersion });
      await refused(world, () => consumer.testCases.create(pinned), {
        code: 'rule_violated',
        field: 'agentVersion',
        message:
          'must be auto because the workspace "assay", which provides the agent "decided there", decides which version of it answers',
      });
    }
    await consumer.testCases.create(testCase('auto', 'decided there'));
    await consumer.testSuites.create({ name: 'decided', testCaseIds: ['auto'] });
    for (const agentVersionId of ['v1', 'v2', agent.versions[1]?.id as string]) {
      const run = { testSuiteId: 'decided', agentVersionTarget: 'specific' as const, agentVersionId };
      await refused(world, () => consumer.testRuns.start(run), {
        code: 'rule_violated',
        field: 'agentVersionTarget',
        message:
          'The agent "decided there" is provided by the workspace "assay", which decides which version of it answers. Use "configured" or "latest".',
      });
    }
  });
});

import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { Role } from '../../core/role.ts';
import { localCaller } from '../call/caller.ts';
import { createObject } from '../objects/change-object.ts';
import { promptKind } from '../objects/prompt.ts';
import { router } from '../router.ts';

let world: NounWorld;
beforeAll(async () => {
  world = await nounWorld();
});
afterAll(() => world.close());

const auditIn = async (workspace: string) =>
  (await world.client({ workspace }).auditLog({})).items.map(({ action, objectName }) => [
    action,
    objectName,
  ]);

test('everybody is told who they are and what they may do here', async () => {
  const { workspace } = world.context({ workspace: 'assay' });
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    expect(await world.client({ workspace: 'assay', role }).me({})).toEqual({
      principal: { kind: 'operator', id: 'local', name: 'local operator' },
      workspace: { id: workspace.id, name: 'assay' },
      role,
    });
  }
});

const times = { createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) };

test('whoever may see workspaces is told their role in each, and of no other', async () => {
  const main = { id: world.context().workspace.id, name: 'main', timeZone: 'UTC', revision: 1, ...times };
  expect(await world.client({ only: 'main', role: 'editor' }).workspaces.list({})).toEqual({
    items: [{ ...main, role: 'editor' }],
    nextCursor: null,
  });
  const roles: Record<string, Role> = { [main.id]: 'viewer' };
  const caller = { ...localCaller, roleIn: (id: string) => roles[id] ?? ('admin' as const) };
  const { program } = world.context();
  const client = createRouterClient(router, { context: { caller, workspaceRef: 'main', program } });
  expect((await client.workspaces.list({})).items.map(({ name, role }) => [name, role])).toEqual([
    ['assay', 'admin'],
    ['main', 'viewer'],
  ]);
});

describe('a new workspace', () => {
  test('has the environments dev and the live prod, and its creator as admin', async () => {
    const { workspaces } = world.client();
    const created = await workspaces.create({ name: 'team', timeZone: 'Europe/Berlin' });
    expect(created).toMatchObject({ name: 'team', timeZone: 'Europe/Berlin', revision: 1, role: 'admin' });
    expect((await workspaces.list({})).items).toContainEqual(created);
    const there = world.client({ workspace: 'team' });
    expect((await there.environments.list({})).items.map(({ name, live }) => [name, live])).toEqual([
      ['dev', false],
      ['prod', true],
    ]);
    expect((await there.prompts.list({})).items).toEqual([]);
    expect((await world.client({ workspace: created.id }).me({})).workspace.name).toBe('team');
    expect(await auditIn('team')).toEqual([['workspace.create', 'team']]);
  });

  test.each([
    [{ name: 'main' }, 'conflict', 'name'],
    [{ name: ' ' }, 'invalid_input', 'name'],
    [{ name: 'far away', timeZone: 'Mars/Olympus' }, 'invalid_input', 'timeZone'],
    [{ name: 'odd', colour: 'red' } as never, 'invalid_input', 'colour'],
  ])('is refused, with nothing saved: %j', async (document, code, field) => {
    const before = await world.everything();
    const refusal = await refusalOf(world.client().workspaces.create(document));
    expect(refusal).toMatchObject({ code, details: [{ field }] });
    expect(await world.everything()).toEqual(before);
  });

  test('is made by admins alone', async () => {
    const refusal = await refusalOf(world.client({ role: 'editor' }).workspaces.create({ name: 'mine' }));
    expect(refusal.code).toBe('forbidden');
  });
});

describe('the current workspace', () => {
  test('gets another name and time zone from its admins, and is found by the new name', async () => {
    const { id } = await world.client().workspaces.create({ name: 'old' });
    const { workspaces } = world.client({ workspace: 'old' });
    const changed = await workspaces.update({ name: 'new', timeZone: 'Asia/Ho_Chi_Minh', revision: 1 });
    expect(changed).toEqual({
      id,
      name: 'new',
      timeZone: 'Asia/Ho_Chi_Minh',
      revision: 2,
      role: 'admin',
      ...times,
    });
    expect((await refusalOf(workspaces.list({}))).message).toBe('There is no workspace "old".');
    const renamed = world.client({ workspace: 'new' }).workspaces;
    expect(await renamed.update({ name: 'new', timeZone: 'Asia/Ho_Chi_Minh', revision: 2 })).toEqual(changed);
    expect(await auditIn('new')).toEqual([
      ['workspace.update', 'new'],
      ['workspace.create', 'old'],
    ]);

    const stale = await refusalOf(renamed.update({ name: 'newest', revision: 1 }));
    expect(stale).toMatchObject({ code: 'conflict', details: [{ field: 'revision', value: 1 }] });
    const taken = await refusalOf(renamed.update({ name: 'main', revision: 2 }));
    expect(taken).toMatchObject({ code: 'conflict', details: [{ field: 'name', value: 'main' }] });
    const editor = world.client({ workspace: 'new', role: 'editor' }).workspaces;
    expect((await refusalOf(editor.update({ name: 'mine', revision: 2 }))).code).toBe('forbidden');
    expect((await renamed.list({})).items).toContainEqual(changed);
  });

  test('that many change at once is changed by one of them', async () => {
    await world.client().workspaces.create({ name: 'raced' });
    const { prompts, workspaces } = world.client({ workspace: 'raced' });
    // with their connections open, they really are at once
    await Promise.all(Array.from({ length: 12 }, () => prompts.list({})));
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => workspaces.update({ name: `name ${index}`, revision: 1 })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(['conflict']));
  });
});

test('the workspaces are found by a part of their name, and come in pages of every order', async () => {
  const { workspaces } = world.client();
  for (const name of ['paged b', 'paged a', 'Paged c']) await workspaces.create({ name });
  for (const sort of ['name', '-name', 'updatedAt', '-updatedAt'] as const) {
    const found = { search: 'paged', sort, limit: 1 };
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof workspaces.list>> = await workspaces.list({
        ...found,
        ...(cursor === null ? {} : { cursor }),
      });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== null);
    const orders = { name: ['Paged c', 'paged a', 'paged b'], updatedAt: ['paged b', 'paged a', 'Paged c'] };
    const expected = orders[sort.endsWith('name') ? 'name' : 'updatedAt'];
    expect([sort, names]).toEqual([sort, sort.startsWith('-') ? expected.toReversed() : expected]);
  }
  const { nextCursor } = await workspaces.list({ sort: 'name', limit: 1 });
  const wrong = await refusalOf(workspaces.list({ sort: '-name', cursor: nextCursor ?? '' }));
  expect(wrong.details).toMatchObject([{ field: 'cursor' }]);
});

test('a workspace is got by name and by id, in whatever case, from wherever it is seen', async () => {
  const { id } = world.context().workspace;
  const seen = world.client({ workspace: 'assay', role: 'viewer' }).workspaces;
  const main = await seen.get({ id: 'main' });
  expect(main).toMatchObject({ id, name: 'main', role: 'viewer' });
  expect(await seen.get({ id: id.toUpperCase() })).toEqual(main);
  expect((await world.client({ workspace: id.toUpperCase() }).me({})).workspace.id).toBe(id);
  const hidden = await refusalOf(world.client({ only: 'assay' }).workspaces.get({ id }));
  expect(hidden).toMatchObject({
    code: 'not_found',
    message: `There is no workspace "${id}".`,
    details: [{ field: 'id', value: id }],
  });
});

test.each(['main', 'assay'] as const)('%s keeps its name, and is never archived', async (name) => {
  const { workspaces } = world.client({ workspace: name });
  const { revision } = await workspaces.get({ id: name });
  const renamed = await refusalOf(workspaces.update({ name: 'another', revision }));
  expect(renamed).toMatchObject({ code: 'rule_violated', details: [{ field: 'name', value: 'another' }] });
  const changed = await workspaces.update({ name, timeZone: 'Europe/Berlin', revision });
  expect(changed).toMatchObject({ name, timeZone: 'Europe/Berlin' });
  await workspaces.update({ name, timeZone: 'UTC', revision: changed.revision });
  expect(await refusalOf(workspaces.archive({ id: name }))).toMatchObject({
    code: 'rule_violated',
    message: `The workspace "${name}" cannot be archived: every installation has it.`,
  });
});

describe('archiving a workspace', () => {
  const document = {
    versions: [{ name: 'v1', status: 'active' as const, model: 'offline' }],
    deployments: { dev: 'v1' },
  };

  test('takes it out of sight, frees its name, and ends what it provides and is provided with', async () => {
    const { workspaces, agents, grants } = world.client();
    const { id } = await workspaces.create({ name: 'to archive' });
    const there = world.client({ workspace: id });
    await agents.create({ name: 'ours', ...document });
    await there.agents.create({ name: 'theirs', ...document });
    const given = await grants.create({ agent: 'ours', workspace: id });
    const got = await there.grants.create({ agent: 'theirs', workspace: 'main' });
    expect(await grants.get({ id: given.id })).toEqual(given);

    expect(await workspaces.archive({ id: 'to archive' })).toEqual({ id, name: 'to archive' });
    for (const reference of ['to archive', id]) {
      const gone = `There is no workspace "${reference}".`;
      expect((await refusalOf(world.client({ workspace: reference }).me({}))).message).toBe(gone);
      expect((await refusalOf(workspaces.archive({ id: reference }))).message).toBe(gone);
    }
    expect((await workspaces.list({ search: 'to archive' })).items).toEqual([]);
    expect((await refusalOf(grants.get({ id: given.id }))).code).toBe('not_found');
    expect((await refusalOf(grants.get({ id: got.id }))).code).toBe('not_found');
    expect(await agents.get({ id: 'theirs' })).toMatchObject({ providedBy: 'to archive' });
    const noted = (await auditIn('main')).slice(0, 2);
    expect(noted).toEqual(
      expect.arrayContaining([
        ['grant.revoke', 'ours'],
        ['agent.lose', 'theirs'],
      ]),
    );
    const again = await workspaces.create({ name: 'to archive' });
    expect(again.id).not.toBe(id);
    expect((await world.client({ workspace: 'to archive' }).agents.list({})).items).toEqual([]);
  });

  test('is refused while a run is open, and for whoever is no admin there', async () => {
    const { workspaces } = world.client();
    const { id } = await workspaces.create({ name: 'busy' });
    const { agents, testCases, testSuites, testRuns } = world.client({ workspace: id });
    await agents.create({ name: 'a', ...document });
    const conversation = { type: 'single' as const, request: 'hello' };
    await testCases.create({ name: 'c', agent: 'a', environment: 'dev', conversation });
    await testSuites.create({ name: 's', testCaseIds: ['c'] });
    const run = await testRuns.start({ testSuiteId: 's' });
    expect(await refusalOf(workspaces.archive({ id }))).toMatchObject({
      code: 'rule_violated',
      message: expect.stringContaining('a test run is not over'),
    });
    await testRuns.cancel({ testRunId: run.id });

    const roles: Record<string, Role> = { [id]: 'editor' };
    const caller = { ...localCaller, roleIn: (at: string) => roles[at] ?? ('admin' as const) };
    const { program } = world.context();
    const editor = createRouterClient(router, { context: { caller, workspaceRef: 'main', program } });
    expect((await refusalOf(editor.workspaces.archive({ id }))).code).toBe('forbidden');
    expect(await workspaces.archive({ id })).toEqual({ id, name: 'busy' });
  });

  test('lets nobody write who had come in before', async () => {
    const { workspaces } = world.client();
    const { id } = await workspaces.create({ name: 'left' });
    const inside = { ...world.context(), workspace: await workspaces.get({ id }) };
    await workspaces.archive({ id });
    const late = createObject(inside, promptKind, { name: 'late', body: 'x' });
    expect((await refusalOf(late)).code).toBe('not_found');
  });
});

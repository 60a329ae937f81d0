import { createRouterClient } from '@orpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import type { Role } from '../../core/role.ts';
import { localCaller } from '../call/caller.ts';
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

test('whoever may see workspaces is told their role in each, and of no other', async () => {
  const main = { id: world.context().workspace.id, name: 'main', timeZone: 'UTC', revision: 1 };
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
    expect(changed).toEqual({ id, name: 'new', timeZone: 'Asia/Ho_Chi_Minh', revision: 2, role: 'admin' });
    expect((await refusalOf(workspaces.list({}))).message).toBe('There is no workspace "old".');
    const renamed = world.client({ workspace: 'new' }).workspaces;
    expect(await renamed.update({ name: 'new', timeZone: 'Asia/Ho_Chi_Minh' })).toEqual(changed);
    expect(await auditIn('new')).toEqual([
      ['workspace.update', 'new'],
      ['workspace.create', 'old'],
    ]);

    const stale = await refusalOf(renamed.update({ name: 'newest', revision: 1 }));
    expect(stale).toMatchObject({ code: 'conflict', details: [{ field: 'revision', value: 1 }] });
    const taken = await refusalOf(renamed.update({ name: 'main', revision: 2 }));
    expect(taken).toMatchObject({ code: 'conflict', details: [{ field: 'name', value: 'main' }] });
    const editor = world.client({ workspace: 'new', role: 'editor' }).workspaces;
    expect((await refusalOf(editor.update({ name: 'mine' }))).code).toBe('forbidden');
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

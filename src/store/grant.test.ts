import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld } from '../../test/noun-world.ts';
import { inOtherWorkspace } from './other-workspace.ts';

/** `assay` provides, `main` receives, `third` has no part in it. */
let world: NounWorld;
const ids = new Map<string, string>();
beforeAll(async () => {
  world = await nounWorld();
  const client = world.client({ workspace: 'assay' });
  await client.agents.create({
    name: 'lent',
    versions: [{ name: 'v1', status: 'active', model: 'offline' }],
    deployments: { dev: 'v1' },
  });
  await client.grants.create({ agent: 'lent', workspace: 'main', usesSecrets: true });
  await client.workspaces.create({ name: 'third' });
  const all = await world.database.system.selectFrom('workspace').select(['id', 'name']).execute();
  for (const { id, name } of all) ids.set(name, id);
});
afterAll(() => world.close());

const idOf = (name: string) => ids.get(name) as string;

/** What a transaction of the workspace sees, without any condition of its own. */
function seenIn(workspace: string) {
  return world.database.inSnapshot(idOf(workspace), async (transaction) => ({
    workspaces: (await transaction.selectFrom('workspace').select('name').orderBy('name').execute()).map(
      ({ name }) => name,
    ),
    grants: await transaction.selectFrom('agent_grant').selectAll().execute(),
    agents: await transaction.selectFrom('agent').select(['workspace_id', 'name']).execute(),
    versions: await transaction.selectFrom('agent_version').select('name').execute(),
  }));
}

describe('the database lets through a grant', () => {
  test('the name of each side to the other one, and no row of it', async () => {
    expect(await seenIn('assay')).toMatchObject({
      workspaces: ['assay', 'main'],
      grants: [{ consumer_id: idOf('main'), uses_secrets: true, revoked_at: null }],
      agents: [{ workspace_id: idOf('assay') }],
      versions: [{ name: 'v1' }],
    });
    expect(await seenIn('main')).toEqual({
      workspaces: ['assay', 'main'],
      grants: [],
      agents: [{ workspace_id: idOf('main'), name: 'lent' }],
      versions: [],
    });
    expect(await seenIn('third')).toEqual({ workspaces: ['third'], grants: [], agents: [], versions: [] });
  });

  test('no change of the name of the other side', async () => {
    const renaming = world.database.inWorkspace(idOf('main'), (transaction) =>
      transaction
        .updateTable('workspace')
        .set({ name: 'taken over' })
        .where('id', '=', idOf('assay'))
        .executeTakeFirst(),
    );
    expect((await renaming).numUpdatedRows).toBe(0n);
  });

  test('nothing any more once it is revoked', async () => {
    const [assay, main] = [world.client({ workspace: 'assay' }), world.client({ workspace: 'main' })];
    const [grant] = (await assay.grants.list({})).items;
    await assay.grants.revoke({ id: grant?.id as string });
    expect((await seenIn('assay')).workspaces).toEqual(['assay']);
    expect((await seenIn('main')).workspaces).toEqual(['main']);

    await world.database.systemPool.query("update workspace set name = 'renamed' where name = 'assay'");
    expect((await main.agents.get({ id: 'lent' })).providedBy).toBe('assay');
    await world.client({ workspace: 'renamed' }).grants.create({ agent: 'lent', workspace: 'main' });
    expect((await main.agents.get({ id: 'lent' })).providedBy).toBe('renamed');
    expect((await seenIn('main')).workspaces).toEqual(['main', 'renamed']);
  });

  test('no grant in the name of another workspace', async () => {
    const { grants } = await seenIn('assay');
    const forged = world.database.inWorkspace(idOf('main'), (transaction) =>
      transaction
        .insertInto('agent_grant')
        .values({
          workspace_id: idOf('assay'),
          id: idOf('third'),
          agent_id: grants[0]?.agent_id as string,
          consumer_id: idOf('third'),
          uses_secrets: true,
        })
        .execute(),
    );
    await expect(forged).rejects.toThrow('row-level security');
  });
});

describe('a part of a transaction in the workspace on the other side', () => {
  const sides = () => ({ own: idOf('main'), other: idOf('assay') });
  const own = () =>
    world.database.inWorkspace(idOf('main'), async (transaction) => {
      const seen = async () =>
        (await transaction.selectFrom('agent').select('workspace_id').execute()).map(
          ({ workspace_id }) => workspace_id,
        );
      const there = await inOtherWorkspace(transaction, sides(), seen);
      const failed = inOtherWorkspace(transaction, sides(), () => Promise.reject(new Error('no luck')));
      await expect(failed).rejects.toThrow('no luck');
      return { there, here: await seen() };
    });

  test('sees that one alone, and then its own again, whatever happened', async () => {
    expect(await own()).toEqual({ there: [idOf('assay')], here: [idOf('main')] });
  });

  test('that breaks the transaction tells why', async () => {
    const broken = world.database.inWorkspace(idOf('main'), (transaction) =>
      inOtherWorkspace(transaction, sides(), () => sql`select 1 / 0`.execute(transaction)),
    );
    await expect(broken).rejects.toThrow('division by zero');
  });
});

test('every table that belongs to a workspace forces row-level security', async () => {
  const { rows } = await world.database.systemPool.query(`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'assay' and c.relkind = 'r'
      and exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)`);
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['agent_grant', 'frozen_subject']));
  expect(rows.filter(({ forced }) => !forced)).toEqual([]);
});

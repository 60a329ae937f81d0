import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../../test/noun-world.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import { lockLinks } from '../../../store/one-time-link.ts';
import type { Program } from '../../call/context.ts';
import type { Client } from './accounts.ts';
import { isFirstAdminLink, makeFirstAdmin } from './first-admin.ts';
import { acceptInvitation } from './invitation.ts';
import { newFirstAdminLink } from './one-time-link.ts';

const here: Client = { address: '192.0.2.1', forwardedFor: null, userAgent: 'test' };
const password = 'correct horse battery';

let world: NounWorld;
let program: Program;
beforeAll(async () => {
  world = await nounWorld();
  program = world.context().program;
});
afterAll(() => world.close());
beforeEach(async () => {
  const { system } = world.database;
  await system.deleteFrom('one_time_link').execute();
  await system.deleteFrom('member').execute();
  await sql`delete from auth_user where email <> 'operator'`.execute(system);
});

const tokenOf = (link: string | null) => new URL(link ?? '').searchParams.get('token') ?? '';
const invite = async () =>
  tokenOf(
    (await world.client().members.add({ email: 'bob@assay.example', name: 'Bob', role: 'viewer' })).link,
  );
const join = (token: string) => acceptInvitation(program, { token, password }, here);
const become = (token: string) =>
  makeFirstAdmin(program, { token, password, name: 'Ada', email: 'ada@assay.example' }, here);

describe('the link for the first admin', () => {
  test('ends with the first password, whoever chooses it', async () => {
    const first = tokenOf(await newFirstAdminLink(program));
    const invited = await invite();
    expect(await isFirstAdminLink(program, first)).toBe(true);
    await join(invited);
    expect(await isFirstAdminLink(program, first)).toBe(false);
    expect(await refusalOf(become(first))).toMatchObject({ code: 'not_found' });
    const left = await world.database.system.selectFrom('one_time_link').selectAll().execute();
    expect(left).toEqual([]);
    expect(await newFirstAdminLink(program)).toBeNull();
  });

  test('that is there beside a password all the same is good for nothing', async () => {
    const first = tokenOf(await newFirstAdminLink(program));
    const row = await world.database.system.selectFrom('one_time_link').selectAll().executeTakeFirstOrThrow();
    await join(await invite());
    await world.database.system.insertInto('one_time_link').values(row).execute();
    expect(await isFirstAdminLink(program, first)).toBe(false);
    expect(await refusalOf(become(first))).toMatchObject({ code: 'not_found' });
  });

  test.each(['the invited person', 'the first admin'])(
    'and an invitation that are sent at once are taken one after the other: %s comes first',
    async (winner) => {
      const first = tokenOf(await newFirstAdminLink(program));
      const invited = await invite();
      const inOrder = [() => join(invited), () => become(first)];
      if (winner === 'the first admin') inOrder.reverse();
      const sent = await world.database.system.transaction().execute(async (transaction) => {
        await lockLinks(transaction);
        const running: Promise<unknown>[] = [];
        for (const send of inOrder) {
          running.push(Promise.allSettled([send()]));
          await untilBlocked(world.database, running.length);
        }
        return running;
      });
      const settled = (await Promise.all(sent)).flat();
      expect(settled).toMatchObject(
        winner === 'the first admin'
          ? [{ status: 'fulfilled' }, { status: 'fulfilled' }]
          : [{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'not_found' } }],
      );
    },
  );
});

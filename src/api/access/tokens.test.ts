import { createRouterClient } from '@orpc/server';
import type { Transaction } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NounWorld, nounWorld, refusalOf } from '../../../test/noun-world.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { systemRandom } from '../../net/system-ports.ts';
import { insertAccount } from '../../store/account.ts';
import { deleteMember, insertMember } from '../../store/member.ts';
import type { Schema } from '../../store/schema.ts';
import { deleteToken, deleteTokensOf } from '../../store/token.ts';
import { type Caller, tokenCaller, userCaller } from '../call/caller.ts';
import { router } from '../router.ts';

let world: NounWorld;
let workspaceId: string;
let person: { id: string; name: string };
beforeAll(async () => {
  world = await nounWorld();
  workspaceId = world.context().workspace.id;
});
afterAll(() => world.close());
beforeEach(async () => {
  person = { id: systemRandom.id(), name: 'Ada' };
  await insertAccount(world.database.system, { ...person, email: `${person.id}@assay.example` });
  await world.database.system
    .transaction()
    .execute((transaction) => insertMember(transaction, workspaceId, { userId: person.id, role: 'editor' }));
});

const make = (caller: Caller | null) =>
  createRouterClient(router, {
    context: {
      caller: caller as Caller,
      workspaceRef: 'main',
      program: world.context().program,
    },
  }).tokens.create({ name: 'made', role: 'viewer' });
const inPerson = () => userCaller(world.database, person, async () => null);
const tokens = () =>
  world.database.system.selectFrom('api_token').select('id').where('owner_id', '=', person.id).execute();

/** What becomes of a token that is being made while this goes on. */
async function meanwhile(caller: Caller | null, change: (transaction: Transaction<Schema>) => Promise<void>) {
  const making = await world.database.system.transaction().execute(async (transaction) => {
    await change(transaction);
    const made = refusalOf(make(caller));
    await untilBlocked(world.database);
    return { made };
  });
  return making.made;
}

test('a token that another one makes while that one is being revoked is refused like its next call', async () => {
  const { id } = await make(await inPerson());
  const caller = await tokenCaller(world.database, { tokenId: id });
  const refused = await meanwhile(caller, (transaction) => deleteToken(transaction, workspaceId, id));
  expect(refused).toMatchObject({ code: 'unauthenticated' });
  expect(await tokens()).toEqual([]);
});

test('a token that is made while its owner is being removed does not outlast that', async () => {
  const { id } = await make(await inPerson());
  const remove = async (transaction: Transaction<Schema>) => {
    await deleteTokensOf(transaction, workspaceId, person.id);
    await deleteMember(transaction, workspaceId, person.id);
  };
  const [own, made] = [await inPerson(), await tokenCaller(world.database, { tokenId: id })];
  expect(await meanwhile(own, remove)).toMatchObject({
    code: 'not_found',
    details: [{ field: 'workspace' }],
  });
  expect(await refusalOf(make(made))).toMatchObject({ code: 'unauthenticated' });
  expect(await tokens()).toEqual([]);
});

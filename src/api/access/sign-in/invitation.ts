import type { Kysely } from 'kysely';
import { defaultWorkspace } from '../../../contract/installation.ts';
import { type Account, insertPassword, lockAccount, readAccounts } from '../../../store/account.ts';
import { isAdminWherever, membershipsOf } from '../../../store/member.ts';
import { deleteLink, lockLinks, readLink } from '../../../store/one-time-link.ts';
import type { Schema } from '../../../store/schema.ts';
import type { Program } from '../../call/context.ts';
import type { Client } from './accounts.ts';
import { noteMember } from './note-member.ts';
import { linkEnded } from './one-time-link.ts';
import { requirePassword } from './password.ts';
import { secretHash } from './secret-hash.ts';

/** Who chooses a password with the token of a link; undefined: the link has ended. */
export async function invitedBy({ database }: Program, token: string): Promise<Account | undefined> {
  const accountId = await invitedAccount(database.system, token);
  return accountId === null ? undefined : (await readAccounts(database.system, [accountId])).get(accountId);
}

/** With a link one could become the person that it is for, so it is good for as long as whoever made it is admin wherever
 *  that person is a member: they may be added elsewhere later. null: it is not, or has ended. */
async function invitedAccount(db: Kysely<Schema>, token: string): Promise<string | null> {
  const person = await readLink(db, secretHash(token));
  if (!person || !(await isAdminWherever(db, person.issuerId, person.accountId))) return null;
  return person.accountId;
}

/** Gives whoever holds the link the password that they chose, and signs them in; the cookies are values of `set-cookie`.
 *  Throws `invalid_input`, and `not_found` where the link has ended, also by having a password or being a member nowhere. */
export async function acceptInvitation(
  program: Program,
  { token, password }: { token: string; password: string },
  client: Client,
): Promise<{ account: Account; cookies: string[] }> {
  if ((await invitedBy(program, token)) === undefined) throw linkEnded();
  requirePassword(password);
  const accounts = await program.accounts();
  const hash = await accounts.hashPassword(password);
  const { email } = await program.database.system.transaction().execute(async (transaction) => {
    await lockLinks(transaction);
    const accountId = await invitedAccount(transaction, token);
    const account = accountId === null ? undefined : await lockAccount(transaction, accountId);
    if (account === undefined || account.hasPassword) throw linkEnded();
    const memberships = await membershipsOf(transaction, account.id, defaultWorkspace);
    if (memberships.length === 0) throw linkEnded();
    await deleteLink(transaction, secretHash(token));
    await insertPassword(transaction, { id: program.random.id(), accountId: account.id, hash });
    const by = { principal: { kind: 'user' as const, ...account }, newId: program.random.id };
    for (const { workspaceId } of memberships) {
      await noteMember(transaction, workspaceId, 'join', account, by);
    }
    return account;
  });
  return accounts.startSession({ email, password }, client);
}

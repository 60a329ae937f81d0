import { defaultWorkspace } from '../../../contract/installation.ts';
import { type Account, insertPassword, lockAccount, readAccounts } from '../../../store/account.ts';
import { membershipsOf } from '../../../store/member.ts';
import { readLink, spendLink } from '../../../store/one-time-link.ts';
import type { Program } from '../../call/context.ts';
import type { Client } from './accounts.ts';
import { noteMember } from './note-member.ts';
import { linkEnded } from './one-time-link.ts';
import { requirePassword } from './password.ts';
import { secretHash } from './secret-hash.ts';

/** Who chooses a password with the token of a link; undefined: the link has ended. */
export async function invitedBy({ database }: Program, token: string): Promise<Account | undefined> {
  const link = await readLink(database.system, secretHash(token));
  if (!link?.accountId) return undefined;
  return (await readAccounts(database.system, [link.accountId])).get(link.accountId);
}

/** Gives whoever holds the link the password that they chose, and signs them in; the cookies are values of `set-cookie`.
 *  Throws `invalid_input`, and `not_found` where the link has ended, also by having a password or being a member nowhere. */
export async function acceptInvitation(
  program: Program,
  { token, password }: { token: string; password: string },
  client: Client,
): Promise<{ account: Account; cookies: string[] }> {
  const invited = await invitedBy(program, token);
  if (invited === undefined) throw linkEnded();
  requirePassword(password);
  const accounts = await program.accounts();
  const hash = await accounts.hashPassword(password);
  await program.database.system.transaction().execute(async (transaction) => {
    if ((await spendLink(transaction, secretHash(token)))?.accountId !== invited.id) throw linkEnded();
    const account = await lockAccount(transaction, invited.id);
    const memberships = await membershipsOf(transaction, invited.id, defaultWorkspace);
    if (account === undefined || account.hasPassword || memberships.length === 0) throw linkEnded();
    await insertPassword(transaction, { id: program.random.id(), accountId: account.id, hash });
    const by = { principal: { kind: 'user' as const, ...account }, newId: program.random.id };
    for (const { workspaceId } of memberships) {
      await noteMember(transaction, workspaceId, 'join', account, by);
    }
  });
  return accounts.startSession({ email: invited.email, password }, client);
}

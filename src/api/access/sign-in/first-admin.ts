import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { invalidInput } from '../../../core/text/invalid-input.ts';
import {
  type Account,
  accountOfEmail,
  hasAccounts,
  insertAccount,
  insertPassword,
  renameAccount,
} from '../../../store/account.ts';
import { insertMember, updateRole } from '../../../store/member.ts';
import { lockLinks, readLink } from '../../../store/one-time-link.ts';
import type { Schema } from '../../../store/schema.ts';
import { listWorkspaces } from '../../../store/workspace.ts';
import type { Program } from '../../call/context.ts';
import type { Client } from './accounts.ts';
import { noteMember } from './note-member.ts';
import { linkEnded } from './one-time-link.ts';
import { requirePassword } from './password.ts';
import { secretHash } from './secret-hash.ts';

const person = z.object({
  name: z.string().trim().min(1, 'must not be blank').max(200),
  email: z.string().trim().toLowerCase().pipe(z.email('must be an e-mail address').max(200)),
});

/** Whether the token is that of a link by which somebody may become the first admin: nobody can sign in yet. */
export async function isFirstAdminLink({ database }: Program, token: string): Promise<boolean> {
  return isGood(database.system, token);
}

async function isGood(db: Kysely<Schema>, token: string): Promise<boolean> {
  return (await readLink(db, secretHash(token))) === null && !(await hasAccounts(db));
}

/** Makes the account of whoever holds the link, makes it admin of every workspace and signs it in; the cookies are values
 *  of `set-cookie`. The link is spent unless this is refused. Throws `not_found` where the link has ended, as it does when
 *  somebody else chooses the first password, and `invalid_input`. */
export async function makeFirstAdmin(
  program: Program,
  { token, password, ...given }: { token: string; name: string; email: string; password: string },
  client: Client,
): Promise<{ account: Account; cookies: string[] }> {
  if (!(await isFirstAdminLink(program, token))) throw linkEnded();
  const parsed = person.safeParse(given);
  if (!parsed.success) throw invalidInput(parsed.error.issues, given);
  requirePassword(password);
  const accounts = await program.accounts();
  const hash = await accounts.hashPassword(password);
  await program.database.system.transaction().execute(async (transaction) => {
    await lockLinks(transaction);
    if (!(await isGood(transaction, token))) throw linkEnded();
    const account = await takeAccount(transaction, { id: program.random.id(), ...parsed.data });
    await insertPassword(transaction, { id: program.random.id(), accountId: account.id, hash });
    for (const { id: workspaceId } of await listWorkspaces(transaction)) {
      const admin = { userId: account.id, role: 'admin' } as const;
      const isNew = (await insertMember(transaction, workspaceId, admin)) !== undefined;
      if (!isNew) await updateRole(transaction, workspaceId, admin);
      const by = { principal: { kind: 'user' as const, ...account }, newId: program.random.id };
      await noteMember(transaction, workspaceId, isNew ? 'add' : 'set-role', account, by);
    }
  });
  return accounts.startSession({ email: parsed.data.email, password }, client);
}

/** The account of an address: of somebody who was invited before, else a new one. */
async function takeAccount(transaction: Transaction<Schema>, wanted: Account): Promise<Account> {
  await insertAccount(transaction, wanted);
  const { id } = (await accountOfEmail(transaction, wanted.email)) as Account;
  const account = { ...wanted, id };
  await renameAccount(transaction, account);
  return account;
}

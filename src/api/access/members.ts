import { implement } from '@orpc/server';
import type { Transaction } from 'kysely';
import { validate as isUuid } from 'uuid';
import { membersContract } from '../../contract/members.ts';
import { AssayError } from '../../core/errors.ts';
import type { Random } from '../../core/ports.ts';
import type { Role } from '../../core/role.ts';
import {
  type Account,
  accountOfEmail,
  insertAccount,
  type KnownAccount,
  lockAccount,
  readAccounts,
} from '../../store/account.ts';
import {
  type Admin,
  deleteMember,
  insertMember,
  isAdminWherever,
  listMembers,
  lockAdmins,
  lockMember,
  type StoredMember,
  updateRole,
} from '../../store/member.ts';
import { lockLinks } from '../../store/one-time-link.ts';
import type { Schema } from '../../store/schema.ts';
import { deleteKeysWithoutToken, deleteTokensOf } from '../../store/token.ts';
import { owningAccount } from '../call/caller.ts';
import type { ApiContext } from '../call/context.ts';
import { type Call, guarded } from '../call/operation.ts';
import { type PageInput, pageById } from '../call/page.ts';
import { noteMember } from './sign-in/note-member.ts';
import { joinPath, newInvitation } from './sign-in/one-time-link.ts';

const members = implement(membersContract).$context<Call>().use(guarded);

export const router = members.router({
  list: members.list.handler(({ context, input }) => list(context, input)),
  add: members.add.handler(({ context, input }) => add(context, input)),
  setRole: members.setRole.handler(({ context, input }) => setRole(context, input)),
  remove: members.remove.handler(({ context, input }) => remove(context, input.userId)),
});

async function list({ program: { database }, workspace }: ApiContext, input: PageInput) {
  const page = await database.inWorkspace(workspace.id, (transaction) =>
    pageById(
      input,
      (after, limit) => listMembers(transaction, workspace.id, { after, limit }),
      ({ userId }) => userId,
    ),
  );
  const accounts = await readAccounts(
    database.system,
    page.items.map(({ userId }) => userId),
  );
  return {
    items: page.items.map((member) => shown(member, accounts.get(member.userId))),
    nextCursor: page.nextCursor,
  };
}

/** Somebody new gets an account that nobody can sign in with before they have chosen a password by their link; who has not
 *  done so yet gets another link when they are added again. */
async function add(
  context: ApiContext,
  { email, name, role }: { email: string; name?: string | undefined; role: Role },
) {
  const { program, workspace } = context;
  const { member, account, token } = await program.database.system
    .transaction()
    .execute(async (transaction) => {
      await lockLinks(transaction);
      const account = await lockedAccount(transaction, program.random, email.toLowerCase(), name);
      const added = await insertMember(transaction, workspace.id, { userId: account.id, role });
      const member = added ?? (await lockMember(transaction, workspace.id, account.id));
      if (member === undefined || (added === undefined && (member.role !== role || account.hasPassword))) {
        throw isMember(account, member);
      }
      const token = await invitation(transaction, context, account);
      if (added !== undefined) await note(context, transaction, 'add', account);
      else if (token !== null) await note(context, transaction, 'invite', account);
      return { member, account, token };
    });
  const link = token === null ? null : (await program.accounts()).linkTo(joinPath, token);
  return { ...shown(member, account), link };
}

/** The account of an address, a new one where it has none, which nobody else changes until the transaction ends. */
async function lockedAccount(
  transaction: Transaction<Schema>,
  random: Random,
  email: string,
  name: string | undefined,
): Promise<KnownAccount> {
  const known = await accountOfEmail(transaction, email);
  if (known !== undefined) return (await lockAccount(transaction, known.id)) as KnownAccount;
  if (name === undefined) {
    const message = 'is needed for somebody who has no account yet';
    throw new AssayError('invalid_input', `name ${message}.`, [{ field: 'name', message }]);
  }
  await insertAccount(transaction, { id: random.id(), email, name });
  return (await accountOfEmail(transaction, email)) as KnownAccount;
}

/** The token of a link for somebody who has no password yet. One could become them with it: it is only for who is admin
 *  wherever they are a member. null: the caller is not, or they have a password. */
async function invitation(
  transaction: Transaction<Schema>,
  { caller, program }: ApiContext,
  { id: accountId, hasPassword }: KnownAccount,
): Promise<string | null> {
  const issuerId = owningAccount(caller);
  if (hasPassword || !(await isAdminWherever(transaction, issuerId, accountId))) return null;
  return newInvitation(transaction, { accountId, issuerId }, program.clock.now());
}

async function setRole(context: ApiContext, { userId, role }: { userId: string; role: Role }) {
  const { workspace } = context;
  return changing(context, userId, async (transaction, { member, account, lastAdmin }) => {
    if (member.role === role) return shown(member, account);
    if (lastAdmin !== null) throw lastAdmin;
    await updateRole(transaction, workspace.id, { userId, role });
    await note(context, transaction, 'set-role', account);
    return shown({ ...member, role }, account);
  });
}

async function remove(context: ApiContext, userId: string) {
  const { program, workspace } = context;
  await changing(context, userId, async (transaction, { account, lastAdmin }) => {
    if (lastAdmin !== null) throw lastAdmin;
    await deleteTokensOf(transaction, workspace.id, userId);
    await deleteMember(transaction, workspace.id, userId);
    await note(context, transaction, 'remove', account);
  });
  await deleteKeysWithoutToken(program.database.system);
  return { userId };
}

/** A member as it stands when it is changed. */
interface Changing {
  member: StoredMember;
  account: Account;
  /** What is said to who would take the last admin away. */
  lastAdmin: AssayError | null;
}

async function changing<Result>(
  { program: { database }, workspace }: ApiContext,
  userId: string,
  change: (transaction: Transaction<Schema>, changing: Changing) => Promise<Result>,
): Promise<Result> {
  if (!isUuid(userId)) throw notMember(userId);
  const account = (await readAccounts(database.system, [userId])).get(userId.toLowerCase());
  return database.system.transaction().execute(async (transaction) => {
    // first, so that of two changes the second sees what the first has left
    const admins = await lockAdmins(transaction, workspace.id);
    const member = await lockMember(transaction, workspace.id, userId);
    if (member === undefined || account === undefined) throw notMember(userId);
    return change(transaction, { member, account, lastAdmin: lastAdmin(workspace, member, admins) });
  });
}

function note(
  { principal, program, workspace }: ApiContext,
  transaction: Transaction<Schema>,
  action: 'add' | 'invite' | 'set-role' | 'remove',
  account: Account,
): Promise<void> {
  return noteMember(transaction, workspace.id, action, account, { principal, newId: program.random.id });
}

/** Who has not chosen a password yet can do nothing for the workspace: of those who can, one stays. */
function lastAdmin(
  workspace: { name: string },
  { userId }: StoredMember,
  admins: readonly Admin[],
): AssayError | null {
  const mine = admins.find((admin) => admin.userId === userId);
  const others = admins.filter((admin) => admin !== mine);
  const isLast = others.length === 0 || (mine?.canSignIn && !others.some(({ canSignIn }) => canSignIn));
  if (mine === undefined || !isLast) return null;
  const message = `is the last admin of the workspace "${workspace.name}"${others.length === 0 ? '' : ' who can sign in'}`;
  return new AssayError('rule_violated', `This member ${message}. Make another member admin first.`, [
    { field: 'userId', value: userId, message },
  ]);
}

function isMember({ email }: Account, member: StoredMember | undefined): AssayError {
  const message = `is a member already${member === undefined ? '' : `, as ${member.role}`}`;
  return new AssayError('conflict', `"${email}" ${message}. Give them another role instead.`, [
    { field: 'email', value: email, message },
  ]);
}

function notMember(userId: string): AssayError {
  return new AssayError('not_found', `There is no member "${userId}" in the workspace.`, [
    { field: 'userId', value: userId, message: 'names nobody of its members' },
  ]);
}

function shown({ userId, role, createdAt }: StoredMember, account: Account | undefined) {
  const { name, email } = account ?? { name: '', email: '' };
  return { userId, name, email, role, createdAt: createdAt.toISOString() };
}

import { implement } from '@orpc/server';
import { validate as isUuid } from 'uuid';
import { defaultWorkspace } from '../../contract/installation.ts';
import { membersContract } from '../../contract/members.ts';
import type { Role } from '../../contract/operation.ts';
import { AssayError } from '../../core/errors.ts';
import {
  type Account,
  accountOfEmail,
  insertAccount,
  type KnownAccount,
  readAccounts,
} from '../../store/account.ts';
import type { WorkspaceTransaction } from '../../store/database.ts';
import {
  deleteMember,
  insertMember,
  listMembers,
  lockAdmins,
  lockMember,
  membershipsOf,
  type StoredMember,
  updateRole,
} from '../../store/member.ts';
import { deleteKeysWithoutToken, deleteTokensOf } from '../../store/token.ts';
import type { ApiContext } from '../call/context.ts';
import { type Call, guarded } from '../call/operation.ts';
import { type PageInput, pageById } from '../call/page.ts';
import { noteMember } from './sign-in/note-member.ts';
import { newInvitation } from './sign-in/one-time-link.ts';

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
  const account = await accountFor(context, email.toLowerCase(), name);
  const member = await program.database.inWorkspace(workspace.id, async (transaction) => {
    const added = await insertMember(transaction, workspace.id, { userId: account.id, role });
    if (added !== undefined) {
      await note(context, transaction, 'add', account);
      return added;
    }
    const stored = await lockMember(transaction, workspace.id, account.id);
    if (stored === undefined || stored.role !== role || account.hasPassword) throw isMember(account, stored);
    return stored;
  });
  const link = (await mayInvite(context, account)) ? await newInvitation(program, account.id) : null;
  return { ...shown(member, account), link };
}

async function accountFor(
  { program: { database, random } }: ApiContext,
  email: string,
  name: string | undefined,
): Promise<KnownAccount> {
  const known = await accountOfEmail(database.system, email);
  if (known !== undefined) return known;
  if (name === undefined) {
    const message = 'is needed for somebody who has no account yet';
    throw new AssayError('invalid_input', `name ${message}.`, [{ field: 'name', message }]);
  }
  await insertAccount(database.system, { id: random.id(), email, name });
  return (await accountOfEmail(database.system, email)) as KnownAccount;
}

/** With the link of somebody who has no password yet one could become them: it is only for who is admin wherever they are
 *  a member. */
async function mayInvite({ caller, program }: ApiContext, account: KnownAccount): Promise<boolean> {
  if (account.hasPassword) return false;
  const memberships = await membershipsOf(program.database.system, account.id, defaultWorkspace);
  return memberships.every(({ workspaceId }) => caller.roleIn(workspaceId) === 'admin');
}

async function setRole(context: ApiContext, { userId, role }: { userId: string; role: Role }) {
  const { workspace } = context;
  return changing(context, userId, async (transaction, { member, account, isLastAdmin }) => {
    if (member.role === role) return shown(member, account);
    if (isLastAdmin) throw lastAdmin(workspace.name, userId);
    await updateRole(transaction, workspace.id, { userId, role });
    await note(context, transaction, 'set-role', account);
    return shown({ ...member, role }, account);
  });
}

async function remove(context: ApiContext, userId: string) {
  const { program, workspace } = context;
  await changing(context, userId, async (transaction, { account, isLastAdmin }) => {
    if (isLastAdmin) throw lastAdmin(workspace.name, userId);
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
  isLastAdmin: boolean;
}

async function changing<Result>(
  { program: { database }, workspace }: ApiContext,
  userId: string,
  change: (transaction: WorkspaceTransaction, changing: Changing) => Promise<Result>,
): Promise<Result> {
  if (!isUuid(userId)) throw notMember(userId);
  const account = (await readAccounts(database.system, [userId])).get(userId.toLowerCase());
  return database.inWorkspace(workspace.id, async (transaction) => {
    // first, so that of two changes the second sees what the first has left
    const admins = await lockAdmins(transaction, workspace.id);
    const member = await lockMember(transaction, workspace.id, userId);
    if (member === undefined || account === undefined) throw notMember(userId);
    const isLastAdmin = admins.length === 1 && admins[0] === member.userId;
    return change(transaction, { member, account, isLastAdmin });
  });
}

function note(
  { principal, program, workspace }: ApiContext,
  transaction: WorkspaceTransaction,
  action: 'add' | 'set-role' | 'remove',
  account: Account,
): Promise<void> {
  return noteMember(transaction, workspace.id, action, account, { principal, newId: program.random.id });
}

function lastAdmin(workspace: string, userId: string): AssayError {
  const message = `is the last admin of the workspace "${workspace}"`;
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

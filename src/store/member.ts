import { type Kysely, sql, type Transaction } from 'kysely';
import type { Role } from '../core/role.ts';
import { operatorAccountId } from './account.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';

export interface StoredMember {
  userId: string;
  role: Role;
  createdAt: Date;
}

const columns = ['user_id as userId', 'role', 'created_at as createdAt'] as const;

/** The next members of the workspace in the order of their ids, which grow with time. */
export function listMembers(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredMember[]> {
  return transaction
    .selectFrom('member')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .$if(after !== undefined, (query) => query.where('user_id', '>', after as string))
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** The member, whom nobody else changes until the transaction ends. */
export function lockMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  userId: string,
): Promise<StoredMember | undefined> {
  return transaction
    .selectFrom('member')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
}

/** Has the member stay until the transaction ends, in whatever role; false: they are none any more. */
export async function holdMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('member')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export interface Admin {
  userId: string;
  /** They have chosen a password. */
  canSignIn: boolean;
}

/** Who is admin of the workspace. None of them changes until the transaction ends: of two changes at once the second
 *  sees what the first has left. Takes a transaction that sees passwords. */
export async function lockAdmins(transaction: Transaction<Schema>, workspaceId: string): Promise<Admin[]> {
  const { rows } = await sql<Admin>`
    select user_id as "userId",
      exists (select from auth_account a where a.user_id = m.user_id and a.password is not null) as "canSignIn"
    from member m
    where workspace_id = ${workspaceId} and role = 'admin'
    order by user_id
    for update of m`.execute(transaction);
  return rows;
}

/** The new member; undefined where they are one already. */
export function insertMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { userId, role }: { userId: string; role: Role },
): Promise<StoredMember | undefined> {
  return transaction
    .insertInto('member')
    .values({ workspace_id: workspaceId, user_id: userId, role })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doNothing())
    .returning(columns)
    .executeTakeFirst();
}

export async function updateRole(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  await transaction
    .updateTable('member')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  userId: string,
): Promise<void> {
  await transaction
    .deleteFrom('member')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
}

export interface Membership {
  workspaceId: string;
  role: Role;
}

/** Where an account is a member; `homeName` first, then by name. */
export function membershipsOf(db: Kysely<Schema>, userId: string, homeName: string): Promise<Membership[]> {
  return db
    .selectFrom('member')
    .innerJoin('workspace', 'workspace.id', 'member.workspace_id')
    .select(['workspace_id as workspaceId', 'role'])
    .where('user_id', '=', userId)
    .where('archived_at', 'is', null)
    .orderBy(sql`name <> ${homeName}, name`)
    .execute();
}

/** Whether an account is admin in every workspace, archived or not, that another one is a member of. Whoever owns the
 *  installation is. */
export async function isAdminWherever(db: Kysely<Schema>, adminId: string, userId: string): Promise<boolean> {
  if (adminId === operatorAccountId) return true;
  const { rows } = await sql`
    select from member m
    where m.user_id = ${userId} and not exists (
      select from member a
      where a.workspace_id = m.workspace_id and a.user_id = ${adminId} and a.role = 'admin')
    limit 1`.execute(db);
  return rows.length === 0;
}

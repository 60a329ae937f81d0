import { type Kysely, sql } from 'kysely';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';

export type MemberRole = 'viewer' | 'editor' | 'admin';

export interface StoredMember {
  userId: string;
  role: MemberRole;
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

/** Who is admin of the workspace. None of them changes until the transaction ends: of two changes at once the second
 *  sees what the first has left. */
export async function lockAdmins(transaction: WorkspaceTransaction, workspaceId: string): Promise<string[]> {
  const rows = await transaction
    .selectFrom('member')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'admin')
    .orderBy('user_id')
    .forUpdate()
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** The new member; undefined where they are one already. */
export function insertMember(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { userId, role }: { userId: string; role: MemberRole },
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
  { userId, role }: { userId: string; role: MemberRole },
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
  role: MemberRole;
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

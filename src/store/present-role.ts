import { type Kysely, sql } from 'kysely';
import type { Principal } from '../core/principal.ts';
import { operatorAccountId } from './account.ts';
import type { MemberRole } from './member.ts';
import type { Schema } from './schema.ts';

/** What limits somebody in a workspace at this moment: their role there, for a token its own and that of its owner. None:
 *  they may do nothing there any more. */
export async function presentRoles(
  db: Kysely<Schema>,
  { kind, id }: Principal,
  workspaceId: string,
): Promise<MemberRole[]> {
  if (kind !== 'token') return ownRole(db, workspaceId, kind === 'operator' ? operatorAccountId : id);
  const token = await db
    .selectFrom('api_token')
    .select(['role', 'owner_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst();
  if (token === undefined) return [];
  const owner = await ownRole(db, workspaceId, token.owner_id);
  return owner.length === 0 ? [] : [token.role, ...owner];
}

/** Whoever owns the installation is admin everywhere, and member nowhere. */
async function ownRole(db: Kysely<Schema>, workspaceId: string, accountId: string): Promise<MemberRole[]> {
  if (accountId === operatorAccountId) return ['admin'];
  const rows = await db
    .selectFrom('member')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', accountId)
    .execute();
  return rows.map(({ role }) => role);
}

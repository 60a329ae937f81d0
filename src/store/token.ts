import { type Kysely, sql } from 'kysely';
import type { Role } from '../core/role.ts';
import { operatorAccountId } from './account.ts';
import type { WorkspaceTransaction } from './database.ts';
import type { Schema } from './schema.ts';

export interface StoredToken {
  id: string;
  name: string;
  /** The most it may do. */
  role: Role;
  ownerId: string;
  /** First characters of the token. */
  start: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** Its hash and when it was used last stand there. */
  keyId: string;
}

const columns = [
  'id',
  'name',
  'role',
  'owner_id as ownerId',
  'start',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'key_id as keyId',
] as const;

/** Which tokens a caller means: all of the workspace, those of an account, or one with those that it has made. */
export type TokensOf = 'all' | { ownerId: string } | { tokenId: string };

function tokens(transaction: WorkspaceTransaction, workspaceId: string, of: TokensOf) {
  const unexpired = transaction
    .selectFrom('api_token')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`);
  if (of === 'all') return unexpired;
  if ('ownerId' in of) return unexpired.where('owner_id', '=', of.ownerId);
  return unexpired.where(({ or, eb }) => or([eb('id', '=', of.tokenId), eb('parent_id', '=', of.tokenId)]));
}

/** The next tokens that have not expired, the newest first: their ids grow with time. */
export function listTokens(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  of: TokensOf,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredToken[]> {
  return tokens(transaction, workspaceId, of)
    .$if(after !== undefined, (query) => query.where('id', '<', after as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function readToken(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  of: TokensOf,
  id: string,
): Promise<StoredToken | undefined> {
  return tokens(transaction, workspaceId, of).where('id', '=', id).executeTakeFirst();
}

export async function insertToken(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  { parentId, ...token }: Omit<StoredToken, 'createdAt'> & { parentId: string | null },
): Promise<StoredToken> {
  return transaction
    .insertInto('api_token')
    .values({
      workspace_id: workspaceId,
      id: token.id,
      key_id: token.keyId,
      owner_id: token.ownerId,
      parent_id: parentId,
      name: token.name,
      role: token.role,
      start: token.start,
      expires_at: token.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Has a token stay until the transaction ends; false: it has ended. */
export async function holdToken(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('api_token')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a token with all that were made with it. */
export async function deleteToken(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  id: string,
): Promise<void> {
  await transaction
    .deleteFrom('api_token')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Ends every token that an account has in the workspace. */
export async function deleteTokensOf(
  transaction: WorkspaceTransaction,
  workspaceId: string,
  ownerId: string,
): Promise<void> {
  await transaction
    .deleteFrom('api_token')
    .where('workspace_id', '=', workspaceId)
    .where('owner_id', '=', ownerId)
    .execute();
}

/** When keys were used last, by their ids. */
export async function lastUses(db: Kysely<Schema>, keyIds: readonly string[]): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom('api_key')
    .select(['id', 'last_request'])
    .where('id', '=', sql<string>`any(${keyIds})`)
    .execute();
  return new Map(rows.flatMap(({ id, last_request }) => (last_request === null ? [] : [[id, last_request]])));
}

/** Removes keys that belong to no token any more; a young one may be about to get its token. */
export async function deleteKeysWithoutToken(db: Kysely<Schema>): Promise<void> {
  await sql`
    delete from api_key k
    where k.created_at < now() - interval '1 minute'
      and not exists (select from api_token t where t.key_id = k.id)`.execute(db);
}

/** What a token may do at this moment. */
export interface TokenRights {
  id: string;
  name: string;
  role: Role;
  /** Of its owner in its workspace at this moment. */
  ownerRole: Role;
  ownerId: string;
  workspaceId: string;
  expiresAt: Date | null;
}

/** undefined where the token has ended, or its owner is no member any more. */
export async function readTokenRights(
  db: Kysely<Schema>,
  by: { keyId: string } | { tokenId: string },
): Promise<TokenRights | undefined> {
  const [column, id] = 'keyId' in by ? ['key_id', by.keyId] : ['id', by.tokenId];
  const { rows } = await sql<TokenRights>`
    select t.id, t.name, t.role, t.owner_id as "ownerId", t.workspace_id as "workspaceId",
      t.expires_at as "expiresAt", o.role as "ownerRole"
    from api_token t
    join api_key k on k.id = t.key_id and k.enabled and coalesce(k.expires_at > now(), true)
    join workspace w on w.id = t.workspace_id and w.archived_at is null
    join lateral (
      select role from member m where m.workspace_id = t.workspace_id and m.user_id = t.owner_id
      union all
      select 'admin' where t.owner_id = ${operatorAccountId}
    ) o on true
    where ${sql.ref(`t.${column}`)} = ${id} and coalesce(t.expires_at > now(), true)
    limit 1`.execute(db);
  return rows[0];
}

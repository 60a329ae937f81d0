import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** The account that owns the tokens of whoever owns the installation. It has no password and no e-mail address. */
export const operatorAccountId = '00000000-0000-4000-8000-000000000001';

export interface Account {
  id: string;
  name: string;
  /** In lower case. */
  email: string;
}

/** `hasPassword`: they can sign in; until then a one-time link lets them choose one. */
export type KnownAccount = Account & { hasPassword: boolean };

function accounts(db: Kysely<Schema>) {
  return db
    .selectFrom('auth_user')
    .select(['auth_user.id', 'auth_user.name', 'auth_user.email'])
    .select(
      sql<boolean>`exists (select from auth_account a where a.user_id = auth_user.id and a.password is not null)`.as(
        'hasPassword',
      ),
    );
}

export function accountOfEmail(db: Kysely<Schema>, email: string): Promise<KnownAccount | undefined> {
  return accounts(db).where('email', '=', email).executeTakeFirst();
}

/** Holds the account until the transaction ends: of two who choose its password at once one comes second. */
export async function lockAccount(
  transaction: Kysely<Schema>,
  id: string,
): Promise<KnownAccount | undefined> {
  await transaction.selectFrom('auth_user').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  // by a statement of its own, which sees what the other one has done
  return accounts(transaction).where('id', '=', id).executeTakeFirst();
}

/** Accounts by their ids. */
export async function readAccounts(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<Map<string, Account>> {
  const rows = await db
    .selectFrom('auth_user')
    .select(['id', 'name', 'email'])
    .where('id', '=', sql<string>`any(${[...new Set(ids)]})`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Makes an account that nobody can sign in with yet, where its e-mail address has none. */
export async function insertAccount(db: Kysely<Schema>, account: Account): Promise<void> {
  await db
    .insertInto('auth_user')
    .values(account)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
}

/** From now on they sign in with the password of this hash; nobody becomes the first admin by a link any more. `id` is
 *  that of the row. */
export async function insertPassword(
  transaction: Kysely<Schema>,
  { id, accountId, hash }: { id: string; accountId: string; hash: string },
): Promise<void> {
  await transaction
    .insertInto('auth_account')
    .values({ id, user_id: accountId, account_id: accountId, provider_id: 'credential', password: hash })
    .execute();
  await transaction.deleteFrom('one_time_link').where('user_id', 'is', null).execute();
}

export async function renameAccount(transaction: Kysely<Schema>, { id, name }: Account): Promise<void> {
  await transaction
    .updateTable('auth_user')
    .set({ name, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Whether anybody can sign in. */
export async function hasAccounts(db: Kysely<Schema>): Promise<boolean> {
  const row = await db
    .selectFrom('auth_account')
    .select('id')
    .where('password', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

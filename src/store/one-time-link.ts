import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

export interface OneTimeLink {
  tokenHash: string;
  /** Who chooses a password with it; null: whoever becomes the first admin. */
  accountId: string | null;
  /** null: never. */
  expiresAt: Date | null;
}

/** Stores a link; the one that was for the same before ends. */
export async function replaceLink(db: Kysely<Schema>, link: OneTimeLink): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // one after the other: two servers that start at once would both find none to replace
    await sql`select pg_advisory_xact_lock(hashtext('one_time_link'))`.execute(transaction);
    await transaction
      .deleteFrom('one_time_link')
      .where('user_id', 'is not distinct from', link.accountId)
      .execute();
    await transaction
      .insertInto('one_time_link')
      .values({ token_hash: link.tokenHash, user_id: link.accountId, expires_at: link.expiresAt })
      .execute();
  });
}

/** The link of this token that is neither spent nor expired. */
export async function readLink(
  db: Kysely<Schema>,
  tokenHash: string,
): Promise<Pick<OneTimeLink, 'accountId'> | undefined> {
  return db
    .selectFrom('one_time_link')
    .select('user_id as accountId')
    .where('token_hash', '=', tokenHash)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst();
}

/** Takes the link away; of several who try at once the others find none when the transaction of the first has ended
 *  well. */
export async function spendLink(
  transaction: Kysely<Schema>,
  tokenHash: string,
): Promise<Pick<OneTimeLink, 'accountId'> | undefined> {
  return transaction
    .deleteFrom('one_time_link')
    .where('token_hash', '=', tokenHash)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .returning('user_id as accountId')
    .executeTakeFirst();
}

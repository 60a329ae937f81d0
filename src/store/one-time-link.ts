import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** Who chooses a password with a link, and the account that made it; null: it is for whoever becomes the first admin. */
export type LinkedPerson = { accountId: string; issuerId: string } | null;

export interface OneTimeLink {
  tokenHash: string;
  person: LinkedPerson;
  /** null: never. */
  expiresAt: Date | null;
}

/** Whoever makes or spends a link does so one after the other: what each looks at before, links, passwords and who is a
 *  member where, nobody else changes by a link until the transaction ends. To be called first. */
export async function lockLinks(transaction: Transaction<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('one_time_link'))`.execute(transaction);
}

/** Stores a link, under the lock of `lockLinks`; the one that was for the same before ends. */
export async function replaceLink(
  transaction: Transaction<Schema>,
  { tokenHash, person, expiresAt }: OneTimeLink,
): Promise<void> {
  await transaction
    .deleteFrom('one_time_link')
    .where('user_id', 'is not distinct from', person?.accountId ?? null)
    .execute();
  await transaction
    .insertInto('one_time_link')
    .values({
      token_hash: tokenHash,
      user_id: person?.accountId ?? null,
      issued_by: person?.issuerId ?? null,
      expires_at: expiresAt,
    })
    .execute();
}

/** Who the link of this token is for, where it is neither spent nor expired; undefined: there is none. */
export async function readLink(db: Kysely<Schema>, tokenHash: string): Promise<LinkedPerson | undefined> {
  const row = await db
    .selectFrom('one_time_link')
    .select(['user_id', 'issued_by'])
    .where('token_hash', '=', tokenHash)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { user_id: accountId, issued_by: issuerId } = row;
  return accountId === null || issuerId === null ? null : { accountId, issuerId };
}

/** Ends a link, by being used. */
export async function deleteLink(transaction: Transaction<Schema>, tokenHash: string): Promise<void> {
  await transaction.deleteFrom('one_time_link').where('token_hash', '=', tokenHash).execute();
}

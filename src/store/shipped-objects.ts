import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** Which of the objects that come with the program stand in the database; undefined: none were ever applied. */
export async function shippedHash(db: Kysely<Schema>, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('shipped_objects')
    .select('content_hash')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.content_hash;
}

export async function writeShippedHash(db: Kysely<Schema>, name: string, hash: string): Promise<void> {
  await db
    .insertInto('shipped_objects')
    .values({ name, content_hash: hash })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ content_hash: hash, applied_at: sql`now()` }),
    )
    .execute();
}

/** Processes that start together take turns until their transactions end. */
export async function lockShipped(transaction: Transaction<Schema>, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`assay shipped ${name}`}, 0))`.execute(
    transaction,
  );
}

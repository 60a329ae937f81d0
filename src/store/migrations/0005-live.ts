import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // how many results the run had when this one was recorded; those recorded together have the same. 0: not yet, or
  // before this was counted
  await sql`alter table test_result add recorded int not null default 0`.execute(db);
}

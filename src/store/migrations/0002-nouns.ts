import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table environment add updated_at timestamptz not null default now()`.execute(db);
  await sql`alter table workspace add updated_at timestamptz not null default now()`.execute(db);
}

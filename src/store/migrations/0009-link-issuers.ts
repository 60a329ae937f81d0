import { type Kysely, sql } from 'kysely';

/** A link by which somebody chooses a password says who made it: whether it is good still depends on them. Links of before
 *  do not say it, and end; so does one for the first admin that outlasted the first password. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
delete from one_time_link
where user_id is not null or exists (select from auth_account where password is not null);
alter table one_time_link
  add issued_by uuid references auth_user (id) on delete cascade,
  add check ((user_id is null) = (issued_by is null));
`)
    .execute(db);
}

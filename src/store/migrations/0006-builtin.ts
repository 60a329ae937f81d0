import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
-- Who started a run and what they might do then: agents call this product's own tools in their name. Runs of before have
-- neither, and call none.
alter table test_run
  add starter json,
  add starter_role text check (starter_role in ('viewer', 'editor', 'admin')),
  -- 1: nobody's case started it
  add depth int not null default 1 check (depth >= 1),
  add parent_run_id uuid,
  -- the case in which it was started: no foreign key, because results refer to runs
  add parent_result_id uuid,
  add parent_attempt int,
  add foreign key (workspace_id, parent_run_id) references test_run (workspace_id, id),
  add check ((depth = 1) = (parent_run_id is null)),
  add check ((parent_run_id is null) = (parent_result_id is null)),
  add check ((parent_run_id is null) = (parent_attempt is null));
create index test_run_inside on test_run (workspace_id, parent_run_id) where parent_run_id is not null;

-- Which of the objects that come with the program were applied last.
create table shipped_objects (
  name text primary key,
  content_hash text not null,
  applied_at timestamptz not null default now()
);
grant select, insert, update on shipped_objects to assay_system;
`)
    .execute(db);
}

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table workspace_setting (
  workspace_id uuid primary key references workspace (id),
  judge_model text,
  simulator_model text,
  -- by provider: its address and its sealed key
  providers json not null,
  revision int not null,
  updated_at timestamptz not null default now()
);
grant select, insert, update on workspace_setting to assay_app;
grant select on workspace_setting to assay_system;
alter table workspace_setting enable row level security;
alter table workspace_setting force row level security;
create policy own_workspace on workspace_setting to assay_app
  using (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid)
  with check (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid);
create policy every_workspace on workspace_setting to assay_system using (true) with check (true);
`)
    .execute(db);
}

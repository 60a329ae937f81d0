import { type Kysely, sql } from 'kysely';

/** An agent that is provided to another workspace stands in that one too, as an agent without versions that points here.
 *  The grant belongs to the workspace that provides, and stays when it is revoked: granted again, it is the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
alter table agent
  add provider_workspace_id uuid,
  add provider_agent_id uuid,
  add foreign key (provider_workspace_id, provider_agent_id) references agent (workspace_id, id),
  add check ((provider_workspace_id is null) = (provider_agent_id is null)),
  add check (provider_workspace_id <> workspace_id);
create unique index agent_provided on agent (workspace_id, provider_workspace_id, provider_agent_id)
  where provider_agent_id is not null;

create table agent_grant (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  consumer_id uuid not null references workspace (id),
  uses_secrets boolean not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, agent_id, consumer_id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  check (consumer_id <> workspace_id)
);

grant select, insert, update on agent_grant to assay_app, assay_system;
alter table agent_grant enable row level security;
alter table agent_grant force row level security;
create policy own_workspace on agent_grant to assay_app
  using (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid)
  with check (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid);
create policy every_workspace on agent_grant to assay_system using (true) with check (true);

-- each side of a grant may read what the other one is called; what these look into are the rows of the own workspace
create policy other_side_of_grant on workspace for select to assay_app using (
  exists (select from agent where agent.provider_workspace_id = workspace.id)
  or exists (select from agent_grant where agent_grant.consumer_id = workspace.id)
);
`)
    .execute(db);
}

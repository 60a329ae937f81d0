import { type Kysely, sql } from 'kysely';

/** Each side of a grant may read what the other one is called while the grant stands. Afterwards the side that received
 *  the agent keeps the name that the other one had at the end, for what it shows of the agent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
alter table agent
  add provider_last_name text,
  add check (provider_last_name is null or provider_agent_id is not null);

-- grants that ended before: forced row-level security would hide all rows from the owner too
alter table agent no force row level security;
alter table agent_grant no force row level security;
alter table workspace no force row level security;
update agent a set provider_last_name = w.name
from agent_grant g join workspace w on w.id = g.workspace_id
where g.workspace_id = a.provider_workspace_id and g.agent_id = a.provider_agent_id
  and g.consumer_id = a.workspace_id and g.revoked_at is not null;
alter table agent force row level security;
alter table agent_grant force row level security;
alter table workspace force row level security;

drop policy other_side_of_grant on workspace;
create policy other_side_of_grant on workspace for select to assay_app using (
  exists (
    select from agent where agent.provider_workspace_id = workspace.id and agent.provider_last_name is null)
  or exists (
    select from agent_grant where agent_grant.consumer_id = workspace.id and agent_grant.revoked_at is null)
);
`)
    .execute(db);
}

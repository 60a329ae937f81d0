import { type Kysely, sql } from 'kysely';

/** Tables that belong to a workspace: row-level security is forced on each of them. */
const workspaceTables = [
  'environment',
  'prompt',
  'skill',
  'mcp_server',
  'mcp_target',
  'agent',
  'agent_version',
  'deployment',
  'test_case',
  'test_suite',
  'test_suite_case',
  'frozen_subject',
  'test_run',
  'test_result',
  'lane',
  'execution',
  'trace_batch',
  'payload',
  'evaluation',
  'idempotency_key',
  'audit_entry',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table workspace (
  id uuid primary key,
  name text not null,
  time_zone text not null default 'UTC',
  revision int not null default 1,
  created_at timestamptz not null default now(),
  archived_at timestamptz
);
create unique index workspace_name on workspace (name) where archived_at is null;

create table environment (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  live boolean not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index environment_name on environment (workspace_id, name) where archived_at is null;

create table prompt (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  body text not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index prompt_name on prompt (workspace_id, name) where archived_at is null;

create table skill (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  description text not null,
  body text not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index skill_name on skill (workspace_id, name) where archived_at is null;

create table mcp_server (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  -- secret values are sealed; secret_templates keeps how a file writes them: "header.Authorization": "Bearer \${TOKEN}"
  transport json not null,
  secret_templates json not null,
  profile text not null,
  isolation text not null,
  -- null: not discovered yet
  tools json,
  tools_at timestamptz,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index mcp_server_name on mcp_server (workspace_id, name) where archived_at is null;

create table mcp_target (
  workspace_id uuid not null,
  server_id uuid not null,
  environment_id uuid not null,
  mode text not null check (mode in ('real', 'mock', 'pass-through')),
  endpoint text,
  primary key (workspace_id, server_id, environment_id),
  foreign key (workspace_id, server_id) references mcp_server (workspace_id, id),
  foreign key (workspace_id, environment_id) references environment (workspace_id, id)
);

create table agent (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index agent_name on agent (workspace_id, name) where archived_at is null;

create table agent_version (
  workspace_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  name text not null,
  status text not null check (status in ('draft', 'active')),
  definition json not null,
  -- resolved prompts, skills and servers, copied at activation; null while it is a draft
  frozen json,
  content_hash text,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, agent_id, name),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  check ((status = 'active') = (frozen is not null))
);
create unique index agent_version_of_agent on agent_version (workspace_id, agent_id, id);

create table deployment (
  workspace_id uuid not null,
  agent_id uuid not null,
  environment_id uuid not null,
  version_id uuid not null,
  primary key (workspace_id, agent_id, environment_id),
  foreign key (workspace_id, agent_id, version_id) references agent_version (workspace_id, agent_id, id),
  foreign key (workspace_id, environment_id) references environment (workspace_id, id)
);

create table test_case (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  subject_kind text not null check (subject_kind in ('agent', 'workflow')),
  agent_id uuid,
  environment_id uuid,
  pinned_version_id uuid,
  definition json not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id),
  foreign key (workspace_id, agent_id) references agent (workspace_id, id),
  foreign key (workspace_id, environment_id) references environment (workspace_id, id),
  foreign key (workspace_id, agent_id, pinned_version_id) references agent_version (workspace_id, agent_id, id)
);
create unique index test_case_name on test_case (workspace_id, name) where archived_at is null;

create table test_suite (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  name text not null,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  primary key (workspace_id, id)
);
create unique index test_suite_name on test_suite (workspace_id, name) where archived_at is null;

create table test_suite_case (
  workspace_id uuid not null,
  suite_id uuid not null,
  position int not null,
  case_id uuid not null,
  primary key (workspace_id, suite_id, position),
  unique (workspace_id, suite_id, case_id),
  foreign key (workspace_id, suite_id) references test_suite (workspace_id, id),
  foreign key (workspace_id, case_id) references test_case (workspace_id, id)
);

create table frozen_subject (
  workspace_id uuid not null references workspace (id),
  content_hash text not null,
  body json not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, content_hash)
);

create table test_run (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  suite_id uuid not null,
  suite_name text not null,
  token text not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'judging', 'finished', 'cancelled')),
  outcome text,
  parallel int not null,
  version_target json not null,
  total int not null,
  remaining int not null check (remaining >= 0),
  started_by text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, token),
  foreign key (workspace_id, suite_id) references test_suite (workspace_id, id)
);
create index test_run_newest on test_run (workspace_id, created_at desc, id desc);
create index test_run_open on test_run (id) where status in ('queued', 'running');

create table test_result (
  workspace_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  seq int not null,
  case_id uuid not null,
  case_name text not null,
  frozen_work json not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done')),
  attempt int not null default 0,
  worker uuid,
  outcome text,
  reason text not null default '',
  started_at timestamptz,
  finished_at timestamptz,
  duration_ms int,
  primary key (workspace_id, id),
  unique (run_id, seq, workspace_id),
  foreign key (workspace_id, run_id) references test_run (workspace_id, id),
  check ((status = 'done') = (outcome is not null))
);
create index test_result_queued on test_result (run_id, seq) where status = 'queued';
create index test_result_running on test_result (worker) where status = 'running';

create table execution (
  workspace_id uuid not null,
  id uuid not null,
  result_id uuid not null,
  attempt int not null,
  -- counts the conversations of a case from 1; a conversation started again after a crash is a further one
  ordinal int not null,
  kind text not null check (kind in ('conversation', 'workflow')),
  run_text text not null,
  content_hash text,
  agent_version_id uuid,
  agent_version text,
  model text,
  status text not null,
  end_reason text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_usd double precision,
  started_at timestamptz not null,
  finished_at timestamptz,
  duration_ms int,
  evaluation_id uuid,
  primary key (workspace_id, id),
  unique (result_id, attempt, ordinal, workspace_id),
  foreign key (workspace_id, result_id) references test_result (workspace_id, id)
);

-- json, not jsonb: a trace is kept to the letter, and jsonb refuses NUL
create table trace_batch (
  workspace_id uuid not null,
  execution_id uuid not null,
  first_seq int not null,
  events json not null,
  primary key (workspace_id, execution_id, first_seq),
  foreign key (workspace_id, execution_id) references execution (workspace_id, id)
);

create table payload (
  workspace_id uuid not null references workspace (id),
  ref text not null,
  bytes bigint not null,
  cut boolean not null,
  body bytea not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, ref)
);

create table evaluation (
  workspace_id uuid not null,
  id uuid not null,
  execution_id uuid not null,
  cause text not null check (cause in ('run', 'enrichment', 'rescore', 'human')),
  outcome text not null,
  reason text not null,
  reason_code text not null,
  reason_params json not null,
  checks json not null,
  evaluator json,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, execution_id) references execution (workspace_id, id)
);

create table idempotency_key (
  workspace_id uuid not null references workspace (id),
  principal text not null,
  operation text not null,
  key text not null,
  body_hash text not null,
  object_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, principal, operation, key)
);

create table audit_entry (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  at timestamptz not null default now(),
  principal text not null,
  action text not null,
  object_kind text not null,
  object_id uuid,
  object_name text,
  detail json,
  primary key (workspace_id, id)
);

-- processes that work on runs; alive while the session lock is held and the lease is in the future
create table worker (
  id uuid primary key,
  lock_key bigint not null unique,
  lanes int not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

-- what a run's parallel allows, each place taken by one lane of one living worker: two can never take the same
create table lane (
  workspace_id uuid not null,
  run_id uuid not null,
  slot int not null check (slot >= 1),
  worker_id uuid not null references worker (id) on delete cascade,
  primary key (workspace_id, run_id, slot),
  foreign key (workspace_id, run_id) references test_run (workspace_id, id)
);
create index lane_of_worker on lane (worker_id);

grant usage on schema assay to assay_app, assay_system;
grant select, insert, update, delete on all tables in schema assay to assay_app, assay_system;
revoke insert, update, delete on worker, lane from assay_app;
revoke update, delete on trace_batch, payload, evaluation, frozen_subject, audit_entry from assay_app, assay_system;

alter table workspace enable row level security;
alter table workspace force row level security;
create policy own_workspace on workspace to assay_app using (id = nullif(current_setting('assay.workspace_id', true), '')::uuid);
create policy every_workspace on workspace to assay_system using (true) with check (true);
`)
    .execute(db);

  for (const table of workspaceTables) {
    await sql
      .raw(`
alter table ${table} enable row level security;
alter table ${table} force row level security;
create policy own_workspace on ${table} to assay_app
  using (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid)
  with check (workspace_id = nullif(current_setting('assay.workspace_id', true), '')::uuid);
create policy every_workspace on ${table} to assay_system using (true) with check (true);
`)
      .execute(db);
  }
}

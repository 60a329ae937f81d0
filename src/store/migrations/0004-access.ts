import { type Kysely, sql } from 'kysely';

/** Tables of better-auth 1.7 and its API keys under our own names (`src/api/sign-in/better-auth.ts` says which), and ours:
 *  links that are good for one use, members, and what a token may do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
create table auth_user (
  id uuid primary key,
  name text not null,
  -- in lower case
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- whoever owns the installation: owns the tokens that they make; that is no e-mail address, so nobody can sign in with it
insert into auth_user (id, name, email) values ('00000000-0000-4000-8000-000000000001', 'local operator', 'operator');

create table auth_session (
  id uuid primary key,
  -- a hash
  token text not null unique,
  user_id uuid not null references auth_user (id) on delete cascade,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index auth_session_of_user on auth_session (user_id);

-- how a user signs in: provider "credential" is a password, of which this has the hash
create table auth_account (
  id uuid primary key,
  user_id uuid not null references auth_user (id) on delete cascade,
  account_id text not null,
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index auth_account_of_user on auth_account (user_id);

create table auth_verification (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index auth_verification_identifier on auth_verification (identifier);

create table auth_rate_limit (
  id uuid primary key,
  key text not null unique,
  count int not null,
  last_request bigint not null
);

create table api_key (
  id uuid primary key,
  config_id text not null default 'default',
  name text,
  start text,
  prefix text,
  -- a hash
  key text not null unique,
  reference_id uuid not null references auth_user (id) on delete cascade,
  refill_interval int,
  refill_amount int,
  last_refill_at timestamptz,
  enabled boolean not null default true,
  rate_limit_enabled boolean not null default false,
  rate_limit_time_window int,
  rate_limit_max int,
  request_count int not null default 0,
  remaining int,
  last_request timestamptz,
  expires_at timestamptz,
  permissions text,
  metadata text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index api_key_of_owner on api_key (reference_id);

create table one_time_link (
  token_hash text primary key,
  -- who chooses a password with it; null: whoever becomes the first admin
  user_id uuid unique references auth_user (id) on delete cascade,
  -- null: never
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index one_time_link_of_first_admin on one_time_link ((user_id is null)) where user_id is null;

create table member (
  workspace_id uuid not null references workspace (id),
  user_id uuid not null references auth_user (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index member_of_user on member (user_id);

create table api_token (
  workspace_id uuid not null references workspace (id),
  id uuid not null,
  key_id uuid not null unique references api_key (id) on delete cascade,
  owner_id uuid not null references auth_user (id) on delete cascade,
  -- the token that made this one, which ends with it
  parent_id uuid,
  name text not null,
  role text not null check (role in ('viewer', 'editor', 'admin')),
  start text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (workspace_id, id),
  foreign key (workspace_id, parent_id) references api_token (workspace_id, id) on delete cascade
);
create index api_token_of_owner on api_token (owner_id);
create index api_token_of_parent on api_token (workspace_id, parent_id);

grant select, insert, update, delete
  on auth_user, auth_session, auth_account, auth_verification, auth_rate_limit, api_key, one_time_link to assay_system;
grant select, insert, update, delete on member, api_token to assay_app, assay_system;
`)
    .execute(db);

  for (const table of ['member', 'api_token']) {
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

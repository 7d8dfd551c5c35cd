-- Who: organisations, their apps, secrets, people, and what people did.
--
-- Every table with a tenant_id has it first in its primary key and in each foreign key between
-- such tables, so that a join cannot cross tenants by mistake. Who may see which row is decided
-- in v0004_access.sql.

create schema tenants;
create schema refunds;
create schema queue;

-- The tenant named by the transaction. set_config(…, true) leaves an empty string behind, not null.
create function tenants.current_tenant() returns bigint
  language sql stable parallel safe
  return nullif(current_setting('desk.tenant', true), '')::bigint;

-- Moments are whole milliseconds everywhere: Apple's are, and a cursor that was rounded on its way
-- through a URL would skip or repeat rows.
create function tenants.now_ms() returns timestamptz
  language sql stable parallel safe
  return date_trunc('milliseconds', now());

create table tenants.tenants (
  tenant_id bigint generated always as identity primary key,
  slug text collate "C" not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  created_at timestamptz not null default tenants.now_ms(),
  closed_at timestamptz);

create table tenants.apps (
  tenant_id bigint not null references tenants.tenants,
  app_id bigint generated always as identity unique,
  bundle_id text collate "C" not null,
  -- Null until it is given or learned from the first verified Production notification; then fixed.
  apple_id bigint,
  name text not null,
  -- A rehearsal's cases are in no total.
  rehearsal boolean not null default false,
  unreported_delivery text not null default 'delivered' check (unreported_delivery in ('delivered', 'withhold')),
  sample_content boolean not null default false,
  -- Null: consent is asked of each customer. Else: everybody who bought at or after this moment
  -- agreed to consent_wording.
  consent_all_from timestamptz,
  consent_wording text,
  -- Rows of quarantine; older refusals are overwritten.
  refusal_allowance int not null default 500 check (refusal_allowance between 1 and 100000),
  created_at timestamptz not null default tenants.now_ms(),
  removed_at timestamptz,
  primary key (tenant_id, app_id),
  unique (tenant_id, bundle_id),
  check ((consent_all_from is null) = (consent_wording is null)));

-- Everything that is sealed stands in one table, so that rotation of the master key walks one table.
create table tenants.secrets (
  tenant_id bigint not null references tenants.tenants,
  secret_id uuid not null,
  kind text not null check (kind in ('signing-key', 'inbox')),
  sealed bytea not null,
  master_key_id bytea not null check (octet_length(master_key_id) = 8),
  sealed_at timestamptz not null default tenants.now_ms(),
  opened_badly_at timestamptz,
  primary key (tenant_id, secret_id));
create index secrets_by_master_key on tenants.secrets (master_key_id, tenant_id, secret_id);

create table tenants.inboxes (
  tenant_id bigint not null,
  inbox_id bigint generated always as identity,
  app_id bigint not null,
  -- Hashed to find it, sealed to show it again.
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  secret_id uuid not null,
  created_at timestamptz not null default tenants.now_ms(),
  retired_at timestamptz,
  primary key (tenant_id, inbox_id),
  foreign key (tenant_id, app_id) references tenants.apps,
  foreign key (tenant_id, secret_id) references tenants.secrets);
create index inboxes_of_app on tenants.inboxes (tenant_id, app_id);

create table tenants.signing_keys (
  tenant_id bigint not null,
  signing_key_id uuid not null,
  key_id text collate "C" not null check (key_id ~ '^[A-Z0-9]{10}$'),
  issuer_id uuid not null,
  -- Null: serves every app of the tenant.
  app_id bigint,
  public_key bytea not null check (octet_length(public_key) = 65),
  state text not null default 'active' check (state in ('active', 'retired')),
  created_at timestamptz not null default tenants.now_ms(),
  primary key (tenant_id, signing_key_id),
  foreign key (tenant_id, signing_key_id) references tenants.secrets,
  foreign key (tenant_id, app_id) references tenants.apps);
-- The newest active one signs; the same key ID again replaces.
create unique index one_live_key_of_an_id on tenants.signing_keys (tenant_id, key_id, coalesce(app_id, 0))
  where state <> 'retired';

-- How Apple took a key in each environment. A bare 401 pauses the key, not the app: one wrong key
-- that serves ten apps must not be tried ten times as often.
create table tenants.key_standings (
  tenant_id bigint not null,
  signing_key_id uuid not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  accepted_at timestamptz,
  refused_since timestamptz,
  paused_until timestamptz,
  refusals int not null default 0,
  clock_offset_ms bigint,
  primary key (tenant_id, signing_key_id, environment),
  foreign key (tenant_id, signing_key_id) references tenants.signing_keys);

-- The same for each app: Apple judges key, issuer, bundle ID and environment together, so what it says
-- of one app proves nothing for another.
create table tenants.key_proofs (
  tenant_id bigint not null,
  signing_key_id uuid not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  accepted_at timestamptz,
  refused_since timestamptz,
  refused_at timestamptz,
  paused_until timestamptz,
  clock_offset_ms bigint,
  primary key (tenant_id, signing_key_id, app_id, environment),
  foreign key (tenant_id, signing_key_id) references tenants.signing_keys,
  foreign key (tenant_id, app_id) references tenants.apps);

create table tenants.tokens (
  tenant_id bigint not null references tenants.tenants,
  token_id uuid not null,
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  prefix text not null,
  app_id bigint,
  scopes text[] not null,
  created_at timestamptz not null default tenants.now_ms(),
  expires_at timestamptz,
  last_used_on date,
  revoked_at timestamptz,
  primary key (tenant_id, token_id),
  foreign key (tenant_id, app_id) references tenants.apps);

-- People belong to no tenant: one person may be a member of several.
create table tenants.people (
  person_id uuid primary key,
  email text not null,
  password text,
  -- Manages tenants and sees no case.
  installation boolean not null default false,
  created_at timestamptz not null default tenants.now_ms(),
  -- Moved forward by a change of password: every older session is dead.
  sessions_valid_from timestamptz not null default tenants.now_ms());
create unique index people_email on tenants.people (lower(email));

create table tenants.members (
  tenant_id bigint not null references tenants.tenants,
  person_id uuid not null references tenants.people,
  role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
  primary key (tenant_id, person_id));
create index members_of_person on tenants.members (person_id);

create table tenants.sessions (
  session_sha256 bytea primary key check (octet_length(session_sha256) = 32),
  person_id uuid not null references tenants.people,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null);
create index sessions_of_person on tenants.sessions (person_id, created_at);

-- One-time sign-in links. Looking at one changes nothing; only its POST uses it up.
create table tenants.sign_in_links (
  link_sha256 bytea primary key check (octet_length(link_sha256) = 32),
  person_id uuid not null references tenants.people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz);

-- Failed sign-ins, counted by a digest of the address or of the e-mail address: neither is kept.
create table tenants.sign_in_failures (
  subject_sha256 bytea not null check (octet_length(subject_sha256) = 32),
  window_start timestamptz not null,
  n int not null,
  primary key (subject_sha256, window_start));

-- Processes that serve now. A change of master key waits until each of them knows the new one.
create table tenants.processes (
  process_id uuid primary key,
  host text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  master_key_ids bytea[] not null);

-- A chain per tenant: hash = SHA-256(previous hash ‖ the fields). The head stands apart, so that a
-- cut-off tail is noticed too.
create table tenants.audit_heads (
  tenant_id bigint primary key references tenants.tenants,
  seq bigint not null default 0,
  hash bytea not null default '\x');
create table tenants.audit (
  tenant_id bigint not null references tenants.tenants,
  seq bigint not null,
  at timestamptz not null,
  person_id uuid,
  token_id uuid,
  address text,
  action text not null,
  subject text not null,
  -- Our own JSON; names ids, never key text, mail addresses or bodies.
  detail bytea not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (tenant_id, seq));

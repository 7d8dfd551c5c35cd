-- People, their second factors and invitations; tokens with names; an audit log that cannot be emptied.

-- What v0004_access.sql did for the tables of its time: for each table of a tenant that comes later.
create function tenants.guard_table(name regclass) returns void
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('alter table %s force row level security', name);
  execute format('create policy owner_sees_all on %s to current_user using (true) with check (true)', name);
  execute format('create policy own_tenant on %s to refund_desk_tenant using (tenant_id = tenants.current_tenant()) with check (tenant_id = tenants.current_tenant())', name);
  execute format('create policy house on %s to refund_desk_house using (true) with check (true)', name);
  execute format('grant select, insert, update, delete on %s to refund_desk_tenant, refund_desk_house', name);
end $$;
revoke execute on function tenants.guard_table(regclass) from public;

-- ------------------------------------------------------------------ people

alter table tenants.people add column name text;

-- A session can be named and ended by its id; the digest of the cookie says nothing to anybody.
alter table tenants.sessions
  add column session_id uuid not null unique default gen_random_uuid(),
  -- How the person came in: password, link, totp, passkey, proxy, recovery-code.
  add column method text not null default 'password',
  add column address text,
  add column user_agent text;

-- What a person shows beside, or instead of, the password. The secret of a TOTP generator is sealed as
-- the vault seals keys (bound to person and factor); a passkey has only a public key.
create table tenants.factors (
  factor_id uuid primary key,
  person_id uuid not null references tenants.people,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  created_at timestamptz not null,
  -- Null until the first right answer: a generator that was never tried guards nothing.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  sealed bytea,
  master_key_id bytea check (octet_length(master_key_id) = 8),
  -- The newest time step that was used: a code works once.
  last_step bigint,
  credential_id bytea unique check (octet_length(credential_id) between 1 and 1023),
  -- SubjectPublicKeyInfo in DER; ES256 or RS256.
  public_key bytea,
  algorithm int check (algorithm in (-7, -257)),
  sign_count bigint,
  check (case kind
    when 'totp' then sealed is not null and master_key_id is not null and credential_id is null
    else credential_id is not null and public_key is not null and algorithm is not null and sealed is null end));
create index factors_of_person on tenants.factors (person_id, created_at);
create index factors_by_master_key on tenants.factors (master_key_id, factor_id) where master_key_id is not null;

-- For the day the second factor is lost. Each works once.
create table tenants.recovery_codes (
  code_sha256 bytea primary key check (octet_length(code_sha256) = 32),
  person_id uuid not null references tenants.people,
  created_at timestamptz not null,
  used_at timestamptz);
create index recovery_codes_of_person on tenants.recovery_codes (person_id);

-- A sign-in that has its password and waits for the second factor, or a challenge that waits for a
-- passkey's answer. Found by the digest of a token that only the browser has; used once.
create table tenants.ceremonies (
  token_sha256 bytea primary key check (octet_length(token_sha256) = 32),
  kind text not null check (kind in ('second-factor', 'passkey-sign-in', 'passkey-add')),
  person_id uuid references tenants.people,
  challenge bytea,
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null);
create index ceremonies_of_person on tenants.ceremonies (person_id) where person_id is not null;

-- An invitation names a role, not a person: who opens it may have another account already.
create table tenants.invitations (
  tenant_id bigint not null references tenants.tenants,
  invitation_id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
  link_sha256 bytea not null unique check (octet_length(link_sha256) = 32),
  invited_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by uuid,
  withdrawn_at timestamptz,
  primary key (tenant_id, invitation_id));
create unique index one_open_invitation on tenants.invitations (tenant_id, lower(email))
  where accepted_at is null and withdrawn_at is null;

-- The link that the first start prints while nobody can sign in.
create table tenants.setup_links (
  link_sha256 bytea primary key check (octet_length(link_sha256) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz);

alter table tenants.members add column created_at timestamptz not null default tenants.now_ms();

-- ------------------------------------------------------------------ tokens

alter table tenants.tokens
  add column name text not null default '',
  add column created_by uuid;

-- ------------------------------------------------------------------ audit

-- Rows are never changed (v0002_refunds.sql); neither is the table emptied at once.
create trigger fixed_as_a_whole before truncate on tenants.audit
  for each statement execute function refunds.never_changes();
create index audit_of_action on tenants.audit (tenant_id, action, seq desc);

-- ------------------------------------------------------------------ access

do $$ begin perform tenants.guard_table('tenants.invitations'); end $$;
grant select, insert, update, delete
  on tenants.factors, tenants.recovery_codes, tenants.ceremonies, tenants.setup_links
  to refund_desk_house;

-- A closed tenant's notification URLs answer as if they had never been. Intake learns that, and no more.
grant select (tenant_id, closed_at) on tenants.tenants to refund_desk_intake;
create policy directory on tenants.tenants for select to refund_desk_intake using (true);
create trigger directory_changed after update on tenants.tenants
  for each statement execute function tenants.directory_changed();

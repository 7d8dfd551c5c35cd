-- Onboarding: what an app needs before its first case, what was tried, and who else wants the notifications.

alter table tenants.apps
  -- 'Sandbox' alone: the app is not on sale, Production is neither probed nor missed.
  add column environments text[] not null default '{Production,Sandbox}'
    check (environments <@ array['Production', 'Sandbox'] and cardinality(environments) > 0),
  -- A rehearsal app believes this root and no other, and calls this address and no other. Fixed when
  -- it is made: an app never turns from one kind into the other.
  add column rehearsal_root bytea,
  add column rehearsal_api_url text,
  add column evidence text not null default 'none' check (evidence in ('none', 'push', 'callback')),
  add column callback_url text,
  -- The declaration beside consent_wording: where the wording is shown, and who says that it is.
  add column consent_shown_where text,
  add column consent_declared_by text,
  add column consent_declared_at timestamptz,
  -- The other receiver of today, its URL sealed in the vault because such addresses often hold a token.
  add column relay_secret_id uuid,
  -- Null: never asked. False: there is no other receiver.
  add column has_other_receiver boolean,
  add constraint rehearsal_is_whole check (rehearsal = (rehearsal_root is not null) and rehearsal = (rehearsal_api_url is not null)),
  add foreign key (tenant_id, relay_secret_id) references tenants.secrets;

create function tenants.rehearsal_is_fixed() returns trigger language plpgsql as $$
begin
  raise exception 'an app is made for rehearsal or for the App Store, and stays so' using errcode = 'check_violation';
end $$;
create trigger rehearsal_is_fixed before update on tenants.apps for each row
  when (old.rehearsal is distinct from new.rehearsal or old.rehearsal_root is distinct from new.rehearsal_root
    or old.rehearsal_api_url is distinct from new.rehearsal_api_url)
  execute function tenants.rehearsal_is_fixed();

alter table tenants.secrets drop constraint secrets_kind_check;
alter table tenants.secrets add constraint secrets_kind_check check (kind in ('signing-key', 'inbox', 'relay-url'));

-- What a product says where nobody reported anything.
create table tenants.products (
  tenant_id bigint not null,
  app_id bigint not null,
  product_id text collate "C" not null,
  -- Null: the app's own setting.
  sample_content boolean,
  primary key (tenant_id, app_id, product_id),
  foreign key (tenant_id, app_id) references tenants.apps);

-- A new key signs; the older one of the same app still may until `retires_at`, and its notifications
-- of acceptance tell when Apple needs it no more.
alter table tenants.signing_keys drop constraint signing_keys_state_check;
alter table tenants.signing_keys
  add constraint signing_keys_state_check check (state in ('active', 'retiring', 'retired')),
  add column file_name text,
  add column added_by uuid,
  add column retires_at timestamptz,
  add column retired_at timestamptz,
  add column last_used_at timestamptz;
alter table tenants.key_standings
  add column used_at timestamptz,
  add column refused_at timestamptz;

-- Tries of keys against each environment of an app: the newest that told something of the key, and the
-- newest that did not (too many calls, no connection), so that trouble never hides what is known.
create table tenants.probes (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  is_telling boolean not null,
  signing_key_id uuid not null,
  at timestamptz not null,
  result text not null check (result in ('accepted', 'refused', 'unreachable', 'limited', 'odd')),
  status int,
  apple_code bigint,
  -- Apple's words or the network's, cut to 500 characters.
  detail text not null default '',
  request_id text,
  clock_offset_ms bigint,
  primary key (tenant_id, app_id, environment, is_telling),
  foreign key (tenant_id, app_id) references tenants.apps,
  foreign key (tenant_id, signing_key_id) references tenants.signing_keys);

-- Each TEST notification that was asked for.
create table tenants.test_notifications (
  tenant_id bigint not null,
  app_id bigint not null,
  test_id uuid not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  asked_at timestamptz not null,
  asked_by uuid,
  state text not null check (state in ('asked', 'arrived', 'not-arrived', 'refused')),
  -- Apple's testNotificationToken.
  token text,
  notification_uuid uuid,
  arrived_at timestamptz,
  looked_at timestamptz,
  -- Apple's SendAttemptResult of the newest attempt.
  send_attempt_result text,
  attempted_at timestamptz,
  status int,
  apple_code bigint,
  detail text not null default '',
  primary key (tenant_id, app_id, test_id),
  foreign key (tenant_id, app_id) references tenants.apps);
create index test_notifications_newest on tenants.test_notifications (tenant_id, app_id, environment, asked_at desc);

-- What stood around the signed text of a delivery, where that is anything but {"signedPayload":"…"}:
-- who else gets it is to get the very bytes.
alter table refunds.notification_bodies add column wrapping bytea;

-- The delivery log of the relay: one row for each notification that is to be passed on.
create table refunds.relay_deliveries (
  tenant_id bigint not null,
  app_id bigint not null,
  notification_uuid uuid not null,
  state text not null check (state in ('waiting', 'delivered', 'given-up')),
  attempts int not null default 0,
  created_at timestamptz not null default tenants.now_ms(),
  next_attempt_at timestamptz not null,
  give_up_at timestamptz not null,
  last_attempt_at timestamptz,
  status int,
  error text,
  primary key (tenant_id, app_id, notification_uuid));
create index relay_deliveries_waiting on refunds.relay_deliveries (tenant_id, app_id, attempts, created_at)
  where state = 'waiting';
create index relay_deliveries_given_up on refunds.relay_deliveries (tenant_id, app_id) where state = 'given-up';
create index relay_deliveries_newest on refunds.relay_deliveries (tenant_id, app_id, created_at desc, notification_uuid desc);
create index relay_deliveries_oldest on refunds.relay_deliveries using brin (created_at);
create statistics refunds.relay_deliveries_app (dependencies, ndistinct)
  on tenant_id, app_id from refunds.relay_deliveries;

-- How the other receiver does: one that is away is left alone for a growing while.
create table refunds.relay_standings (
  tenant_id bigint not null,
  app_id bigint not null,
  failures int not null default 0,
  last_success_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  paused_until timestamptz,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps);

do $$ begin perform tenants.guard_table(t) from unnest(array['tenants.products', 'tenants.probes', 'tenants.test_notifications', 'refunds.relay_deliveries', 'refunds.relay_standings']::regclass[]) t; end $$;

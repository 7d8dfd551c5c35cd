-- Alerting: what somebody must look at, who is told, and that they were.

-- ------------------------------------------------------------------ the installation

-- What belongs to no tenant (the database, the clock, the master key) has incidents, channels, secrets and an audit log
-- like a tenant's. It is a row of its own, has no apps and no members, and is in no list of tenants.
insert into tenants.tenants (tenant_id, slug, name) overriding system value
values (0, 'installation', 'This installation') on conflict do nothing;
insert into tenants.audit_heads (tenant_id) values (0) on conflict do nothing;
alter table tenants.members add constraint no_members_of_the_installation check (tenant_id <> 0);
alter table tenants.apps add constraint no_apps_of_the_installation check (tenant_id <> 0);

-- ------------------------------------------------------------------ channels

alter table tenants.secrets drop constraint secrets_kind_check;
alter table tenants.secrets add constraint secrets_kind_check
  check (kind in ('signing-key', 'inbox', 'relay-url', 'channel'));

create table refunds.channels (
  tenant_id bigint not null references tenants.tenants,
  channel_id uuid not null,
  kind text not null,
  name text not null,
  -- What is not secret: a mail address, a server, a chat.
  target text,
  secret_id uuid,
  -- The least severity that is told here.
  severity text not null default 'error' check (severity in ('warning', 'error', 'critical')),
  -- Empty: all apps.
  apps bigint[] not null default '{}',
  -- 0: at once. Else only what nobody has acknowledged so long after it opened.
  after_minutes int not null default 0 check (after_minutes between 0 and 1440),
  -- Minutes of the day in time_zone; both or none.
  quiet_from int check (quiet_from between 0 and 1439),
  quiet_to int check (quiet_to between 0 and 1439),
  time_zone text not null default 'UTC',
  language text not null default 'en',
  created_at timestamptz not null,
  created_by uuid,
  removed_at timestamptz,
  -- Switched off by itself: the service said that the address is gone.
  off_at timestamptz,
  off_why text,
  last_success_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  failures int not null default 0,
  primary key (tenant_id, channel_id),
  foreign key (tenant_id, secret_id) references tenants.secrets,
  check ((quiet_from is null) = (quiet_to is null)));

-- ------------------------------------------------------------------ incidents

-- One cause that somebody must look at. At most one is open for a cause.
create table refunds.incidents (
  tenant_id bigint not null references tenants.tenants,
  incident_id uuid not null,
  rule text collate "C" not null,
  -- What it is about, in a form that stays the same while it lasts: "Production com.example.app". Never a customer's data.
  cause text collate "C" not null,
  app_id bigint,
  severity text not null check (severity in ('info', 'warning', 'error', 'critical')),
  title text not null,
  effect text not null,
  first_step text not null,
  -- Cases that it touches: the first of them, and how many.
  cases uuid[] not null default '{}',
  case_count int not null default 0,
  -- [["USD",9990]] in milliunits: what may be lost.
  money text not null default '[]',
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  -- Rounds of looking in which it was found.
  times bigint not null default 1,
  -- Not found any more since then; it closes when that has lasted.
  clear_since timestamptz,
  closed_at timestamptz,
  -- How often it came back after it had closed.
  reopened int not null default 0,
  reopened_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  snoozed_until timestamptz,
  primary key (tenant_id, incident_id));
create unique index one_open_incident_per_cause on refunds.incidents (tenant_id, rule, cause) where closed_at is null;
create index incidents_newest on refunds.incidents (tenant_id, opened_at desc, incident_id desc);
create index incidents_of_cause on refunds.incidents (tenant_id, rule, cause, closed_at desc);
create index incidents_open on refunds.incidents (tenant_id) where closed_at is null;

-- What happened to it. Only ever added to.
create table refunds.incident_events (
  tenant_id bigint not null,
  incident_id uuid not null,
  event_no int not null,
  at timestamptz not null,
  kind text not null check (kind in ('opened', 'raised', 'lowered', 'acknowledged', 'snoozed', 'noted', 'closed', 'reopened')),
  person_id uuid,
  detail text not null default '',
  primary key (tenant_id, incident_id, event_no),
  foreign key (tenant_id, incident_id) references refunds.incidents on delete cascade);
create trigger fixed before update on refunds.incident_events for each row execute function refunds.never_changes();

-- Each telling of an incident over a channel: a durable job.
create table refunds.notices (
  tenant_id bigint not null,
  notice_id uuid not null,
  -- Null: a test of the channel.
  incident_id uuid,
  channel_id uuid not null,
  event text not null check (event in ('trigger', 'reminder', 'acknowledged', 'resolved', 'test')),
  -- The severity that it told.
  severity text not null check (severity in ('info', 'warning', 'error', 'critical')),
  -- 1 the first over this channel.
  sequence int not null,
  state text not null check (state in ('waiting', 'sent', 'failed', 'dropped')),
  made_at timestamptz not null,
  attempts int not null default 0,
  last_attempt_at timestamptz,
  ended_at timestamptz,
  -- The service's own words.
  answer text,
  primary key (tenant_id, notice_id),
  foreign key (tenant_id, incident_id) references refunds.incidents on delete cascade,
  foreign key (tenant_id, channel_id) references refunds.channels);
create index notices_of_incident on refunds.notices (tenant_id, incident_id, made_at, notice_id);
create index notices_of_channel on refunds.notices (tenant_id, channel_id, made_at desc);

-- ------------------------------------------------------------------ listening

-- Whether silence is Apple's or ours: a TEST notification that was asked for because an app had gone quiet.
create table refunds.silences (
  tenant_id bigint not null,
  app_id bigint not null,
  -- The last notification before the silence, and the longest gap that was usual until then.
  last_at timestamptz not null,
  usual_gap_s bigint not null,
  noticed_at timestamptz not null,
  -- When a TEST notification was asked for; null where that is not possible, and why.
  asked_at timestamptz,
  impossible text,
  -- The TEST notification came, or another one: Apple was quiet, and we are not deaf.
  heard_at timestamptz,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps);

-- One row: when the last round of looking began, so that several processes make one.
create table refunds.watch (
  only_one boolean primary key default true check (only_one),
  began_at timestamptz not null default '-infinity',
  ended_at timestamptz not null default '-infinity',
  -- Where the walk over quiet tenants stands.
  walked_to bigint not null default 0);
insert into refunds.watch default values;
grant select, update on refunds.watch to refund_desk_house;

-- Which tenants have something going on.
create index cases_unanswered on refunds.cases (tenant_id) where state in ('open', 'held');
create index rounds_missed on refunds.rounds (tenant_id, deadline) where state = 'missed';

do $$ begin perform tenants.guard_table(t) from unnest(array['refunds.channels', 'refunds.incidents', 'refunds.incident_events', 'refunds.notices', 'refunds.silences']::regclass[]) t; end $$;
revoke update on refunds.incident_events from refund_desk_tenant, refund_desk_house;

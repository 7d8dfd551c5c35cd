-- Catching up: what Apple's notification history tells, read again and again, and how it compares with what arrived.

alter table refunds.notifications
  -- When Apple's history first named it: each notification is counted once, however many readings name it.
  add column listed_at timestamptz,
  -- Of one that was fetched: Apple's own attempts to deliver it. JSON of ours.
  add column send_attempts text;

-- How far the history of an app is read in one environment, and where the reading of this moment stands: a process that
-- dies between two pages is followed by another one at the next page.
create table refunds.histories (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  began_at timestamptz not null,
  -- When Apple first delivered something here. Before that, what was delivered went to another address.
  heard_at timestamptz,
  due_at timestamptz not null,
  -- Up to where what failed, and everything, is read.
  failures_to timestamptz,
  all_to timestamptz,
  -- Set while a sweep is on its way: it reads up to this moment.
  sweep_to timestamptz,
  -- The pages that are being read: the same question on each, and the token of the next one.
  pass text check (pass in ('failures', 'all')),
  pass_from timestamptz,
  pass_to timestamptz,
  token text check (octet_length(token) <= 2048),
  pages int not null default 0,
  -- Eight bytes for each page and each token so far: what comes again is noticed.
  seen bytea not null default '' check (octet_length(seen) <= 32768),
  restarted boolean not null default false,
  -- Null: no window is too wide. Else it had more pages than are read in one go.
  span interval,
  -- Calls that failed one after the other.
  failures int not null default 0,
  -- A part of this sweep was given up.
  incomplete boolean not null default false,
  trouble text,
  trouble_since timestamptz,
  -- When a sweep last came to its end without giving anything up.
  swept_at timestamptz,
  -- When something was last fetched that had not arrived, and how many such since an hour without any.
  fetched_at timestamptz,
  fetched_count bigint not null default 0,
  -- A time that Apple had forgotten before it was read.
  lost_from timestamptz,
  lost_to timestamptz,
  -- Grows with each page: of two that read at once the second one's page does not count.
  turn bigint not null default 0,
  primary key (tenant_id, app_id, environment),
  foreign key (tenant_id, app_id) references tenants.apps,
  check ((pass is null) = (pass_from is null) and (pass is null) = (pass_to is null)),
  check (pass_from < pass_to),
  check (sweep_to is not null or pass is null));

-- What the history named, by the day on which it was signed: held here already, fetched from it, or not to be believed.
create table refunds.history_days (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  day timestamptz not null,
  held bigint not null default 0,
  fetched bigint not null default 0,
  refused bigint not null default 0,
  primary key (tenant_id, app_id, environment, day),
  foreign key (tenant_id, app_id) references tenants.apps);
create index history_days_oldest on refunds.history_days using brin (day);

do $$ begin perform tenants.guard_table(t) from unnest(array['refunds.histories', 'refunds.history_days']::regclass[]) t; end $$;

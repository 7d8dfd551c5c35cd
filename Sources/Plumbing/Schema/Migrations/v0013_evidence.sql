-- Evidence: the app's server is asked, use is counted in its own units, products say how use is reckoned.

alter table tenants.secrets drop constraint secrets_kind_check;
alter table tenants.secrets add constraint secrets_kind_check
  check (kind in ('signing-key', 'inbox', 'relay-url', 'channel', 'callback'));

alter table tenants.apps
  -- What signs the questions to the app's server; without one nothing is asked.
  add column callback_secret_id uuid,
  add column callback_secret_at timestamptz,
  add foreign key (tenant_id, callback_secret_id) references tenants.secrets,
  add check ((callback_secret_id is null) = (callback_secret_at is null));

alter table tenants.products
  -- How use is reckoned where no share is reported; null: it is not.
  add column use_model text check (use_model in ('credits', 'items', 'time')),
  -- With 'time': how many days the whole of it lasts.
  add column use_days int check (use_days between 1 and 3660),
  add check ((use_model is not distinct from 'time') = (use_days is not null));

alter table refunds.usage
  add column credits_used bigint check (credits_used >= 0),
  add column credits_granted bigint check (credits_granted > 0),
  add column items_used bigint check (items_used >= 0),
  add column items_granted bigint check (items_granted > 0),
  add check ((credits_used is null) = (credits_granted is null)),
  add check ((items_used is null) = (items_granted is null));

-- One question for each request, asked again until it is answered or its time is over. The reply waits for it that long.
create table refunds.asks (
  tenant_id bigint not null,
  case_id uuid not null,
  round_id uuid not null,
  asked_at timestamptz not null,
  wait_until timestamptz not null,
  tries int not null default 0,
  tried_at timestamptz,
  -- Of the newest try.
  status int,
  error text check (octet_length(error) <= 500),
  state text not null default 'waiting' check (state in ('waiting', 'answered', 'refused', 'silent', 'ended')),
  ended_at timestamptz,
  -- JSON of ours: what was taken from the answer, what was not and why.
  answer text check (octet_length(answer) <= 16384),
  primary key (tenant_id, case_id, round_id),
  foreign key (tenant_id, case_id, round_id) references refunds.rounds on delete cascade,
  check ((state = 'waiting') = (ended_at is null)));

-- How an app's server does that is asked.
create table refunds.callback_standings (
  tenant_id bigint not null,
  app_id bigint not null,
  -- Tries in a row without an answer that could be read.
  failures int not null default 0,
  -- Requests in a row that went unanswered with all their tries.
  unanswered int not null default 0,
  last_success_at timestamptz,
  last_error text check (octet_length(last_error) <= 500),
  last_error_at timestamptz,
  paused_until timestamptz,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps);

do $$ begin perform tenants.guard_table(t) from unnest(array['refunds.asks', 'refunds.callback_standings']::regclass[]) t; end $$;

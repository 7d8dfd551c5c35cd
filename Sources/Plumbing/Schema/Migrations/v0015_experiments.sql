-- Policies tried and measured: what rules saw, so that others can be laid over it; drafts that run beside; a share of
-- cases without a preference; customers with an answer of their own; what a refund costs beyond the price.

-- What was known when rules last decided about a case, and what they said. Written with the decision, read by the
-- hundred thousand: so it is narrow, and stands apart from the round's own text.
create table refunds.decisions (
  tenant_id bigint not null,
  case_id uuid not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  round_id uuid not null,
  requested_at timestamptz not null,
  decided_at timestamptz not null,
  -- A letter and a value, divided by tabs: what rules may look at.
  facts text not null check (octet_length(facts) <= 8192),
  -- Thousandths of a percent; null: unknown.
  share int,
  rule int not null,
  policy_version int,
  -- What the rules say, or the person who was asked.
  answer text not null check (answer in ('GRANT_FULL', 'GRANT_PRORATED', 'DECLINE', 'facts-only', 'nothing')),
  -- Drawn by lot: true, the preference was kept back; false, it was told. Null: no lot was drawn.
  held_out boolean,
  -- What a draft says that runs beside.
  shadow_no int,
  shadow_rule int,
  shadow_answer text check (shadow_answer in ('GRANT_FULL', 'GRANT_PRORATED', 'DECLINE', 'facts-only', 'nothing')),
  shadow_asks boolean not null default false,
  primary key (tenant_id, case_id),
  foreign key (tenant_id, case_id) references refunds.cases on delete cascade,
  check ((shadow_no is null) = (shadow_answer is null)));
create index decisions_newest on refunds.decisions (tenant_id, app_id, requested_at desc, case_id desc);
create index decisions_shadow on refunds.decisions (tenant_id, app_id, shadow_no, requested_at desc, case_id desc)
  where shadow_no is not null;
create index decisions_drawn on refunds.decisions (tenant_id, app_id, requested_at desc, case_id desc)
  where held_out is not null;

-- What Apple was told, or is to be told: a preference, or facts alone; null: nothing.
alter table refunds.rounds
  add column told text check (told in ('GRANT_FULL', 'GRANT_PRORATED', 'DECLINE', 'facts-only'));
-- The same of the newest request, once Apple took the reply.
alter table refunds.cases
  add column told text check (told in ('GRANT_FULL', 'GRANT_PRORATED', 'DECLINE', 'facts-only'));
-- A prefix before the facet, as the product is: docs/data-model.md.
create index cases_told on refunds.cases (tenant_id, app_id, told, facet, listed_at desc, case_id desc)
  where told is not null;

-- A draft that runs beside the policy that decides. Nothing of it is sent.
create table refunds.shadows (
  tenant_id bigint not null,
  app_id bigint not null,
  shadow_no int not null check (shadow_no > 0),
  rules text not null check (octet_length(rules) between 1 and 32768),
  started_by uuid,
  started_at timestamptz not null,
  stopped_by uuid,
  stopped_at timestamptz,
  -- The version that was made of it.
  promoted int,
  primary key (tenant_id, app_id, shadow_no),
  foreign key (tenant_id, app_id) references tenants.apps);
create unique index one_shadow on refunds.shadows (tenant_id, app_id) where stopped_at is null;

-- How many in a hundred cases get facts without the preference.
create table refunds.hold_outs (
  tenant_id bigint not null,
  app_id bigint not null,
  share int not null check (share between 0 and 50),
  changed_by uuid,
  changed_at timestamptz not null,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps);

-- Customers who are answered by what somebody fixed for them, before any rule.
create table refunds.overrides (
  tenant_id bigint not null,
  app_id bigint not null,
  customer text collate "C" not null check (octet_length(customer) between 1 and 1000),
  override_id uuid not null,
  action text not null check (action in ('GRANT_FULL', 'GRANT_PRORATED', 'DECLINE', 'facts-only', 'nothing', 'hold')),
  reason text not null check (octet_length(reason) between 1 and 1000),
  -- A member, or the token by which the tenant's own server fixed it for somebody.
  author uuid,
  token_id uuid,
  author_name text not null,
  made_at timestamptz not null,
  -- From then on it counts no more; null: for ever.
  until timestamptz,
  primary key (tenant_id, app_id, customer),
  foreign key (tenant_id, app_id) references tenants.apps,
  check ((author is null) <> (token_id is null)));
create index overrides_newest on refunds.overrides (tenant_id, app_id, made_at desc, override_id desc);

-- A text of rules laid over every case that rules decided, page by page; whoever goes on begins behind the last page.
create table refunds.replays (
  tenant_id bigint not null,
  replay_id uuid not null,
  app_id bigint not null,
  rules text not null check (octet_length(rules) between 1 and 32768),
  begun_by uuid,
  begun_at timestamptz not null,
  state text not null default 'running' check (state in ('running', 'done', 'cancelled', 'failed')),
  -- Cases that there are; null: not counted yet.
  total bigint,
  looked bigint not null default 0,
  after_at timestamptz,
  after_case uuid,
  -- Grows with each commit: of two that go on from the same page one counts.
  turn bigint not null default 0,
  -- JSON of our own: what came of it so far.
  result text check (octet_length(result) <= 1048576),
  trouble text,
  ended_at timestamptz,
  primary key (tenant_id, replay_id),
  foreign key (tenant_id, app_id) references tenants.apps,
  check ((state = 'running') = (ended_at is null)));
create unique index one_replay on refunds.replays (tenant_id, app_id) where state = 'running';
create index replays_newest on refunds.replays (tenant_id, app_id, begun_at desc);

alter table refunds.sku_costs
  drop constraint sku_costs_kind_check,
  add constraint sku_costs_kind_check check (kind in ('payout', 'royalty', 'licence', 'compute', 'calls', 'other')),
  -- A sale, or all of its use: then the part that was used is what it cost.
  add column basis text not null default 'sale' check (basis in ('sale', 'use'));

-- Refund rates by the month of the purchase.
create index transactions_bought on refunds.transactions (tenant_id, app_id, environment, purchased_at desc)
  where purchased_at is not null;

do $$ begin perform tenants.guard_table(t) from unnest(array['refunds.decisions', 'refunds.shadows', 'refunds.hold_outs', 'refunds.overrides', 'refunds.replays']::regclass[]) t; end $$;

-- Advanced Commerce: refunds, revocations and cancellations that we ask Apple for, and what stands in their way.

-- ------------------------------------------------------------------ requests

-- One intention of a person or a caller is one row, with one reference for Apple, for ever. state is the stored
-- value of a pure function of acts, attempts and facts (docs/state-machines.md); nothing else sets it.
create table refunds.commerce_requests (
  tenant_id bigint not null,
  request_id uuid not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  kind text not null check (kind in ('refund', 'revoke', 'cancel')),
  transaction_id text collate "C" not null,
  original_transaction_id text collate "C" not null,
  product_id text collate "C" not null default '',
  -- Apple tells two intentions apart by it, and a repeat from a second request.
  request_reference_id uuid not null unique,
  idempotency_key text collate "C" not null,
  -- What was asked, so that the same key for something else is noticed.
  asked_sha256 bytea not null check (octet_length(asked_sha256) = 32),
  state text not null check (state in ('draft', 'awaiting-approval', 'queued', 'sending', 'accepted', 'refunded', 'declined', 'failed', 'pending-at-apple', 'cancelled')),
  state_reason text,
  -- What is sent, to the byte. Null until it may be sent, then fixed.
  body bytea,
  refund_reason text,
  refund_type text,
  -- Null for a cancellation, which has none.
  refund_risking boolean,
  currency text,
  storefront text,
  -- Milliunits; the most that the customer may get back. Null: unknown.
  amount_estimate bigint,
  note text,
  asked_at timestamptz not null,
  asked_by uuid,
  asked_by_token uuid,
  submitted_at timestamptz,
  submitted_by uuid,
  submitted_by_token uuid,
  needs_approval boolean not null default false,
  approved_by uuid,
  approved_at timestamptz,
  cancelled_by uuid,
  cancelled_at timestamptz,
  -- After this no further call begins.
  give_up_at timestamptz,
  -- The case of the same transaction, and the CONSUMPTION_REQUEST that our own request brought about.
  case_id uuid,
  round_id uuid,
  -- Apple's newest answer.
  answer_status int,
  answer_code bigint,
  answer_message text,
  answer_body bytea check (octet_length(answer_body) <= 4096),
  answered_at timestamptz,
  listed_at timestamptz not null,
  changed_at timestamptz not null,
  version int not null default 1,
  -- Environment, kind and state in one number, as cases have it: a filter is the list of facets it allows.
  facet smallint not null generated always as (
      (environment = 'Sandbox')::int * 48
    + (array_position(array['refund', 'revoke', 'cancel'], kind) - 1) * 16
    + array_position(array['draft', 'awaiting-approval', 'queued', 'sending', 'accepted', 'refunded', 'declined', 'failed', 'pending-at-apple', 'cancelled'], state) - 1) stored,
  primary key (tenant_id, request_id),
  unique (tenant_id, app_id, idempotency_key),
  foreign key (tenant_id, app_id) references tenants.apps,
  check (num_nonnulls(asked_by, asked_by_token) <= 1),
  check (num_nonnulls(submitted_by, submitted_by_token) <= 1),
  check (approved_by is null or approved_by is distinct from asked_by),
  check (body is not null or state in ('draft', 'awaiting-approval', 'cancelled'))) with (fillfactor = 80);
create index commerce_requests_newest on refunds.commerce_requests (tenant_id, app_id, listed_at desc, request_id desc);
create index commerce_requests_facet
  on refunds.commerce_requests (tenant_id, app_id, facet, listed_at desc, request_id desc);
create index commerce_requests_of_transaction
  on refunds.commerce_requests (tenant_id, app_id, transaction_id);
create index commerce_requests_of_original
  on refunds.commerce_requests (tenant_id, app_id, original_transaction_id);
create index commerce_requests_of_case on refunds.commerce_requests (tenant_id, case_id) where case_id is not null;
create index commerce_requests_unfinished
  on refunds.commerce_requests (tenant_id, app_id, environment, submitted_at, request_id)
  where state in ('draft', 'awaiting-approval', 'queued', 'sending');
-- Two people with two forms: while Apple has not taken the first, there is no second for the same purchase.
create unique index one_unsent_request
  on refunds.commerce_requests (tenant_id, app_id, environment, transaction_id)
  where state in ('draft', 'awaiting-approval', 'queued', 'sending');
create statistics refunds.commerce_requests_app (dependencies, ndistinct)
  on tenant_id, app_id from refunds.commerce_requests;

create function refunds.commerce_request_rules() returns trigger language plpgsql as $$
begin
  if old.request_reference_id <> new.request_reference_id or old.asked_sha256 <> new.asked_sha256
    or old.idempotency_key <> new.idempotency_key
    or (old.app_id, old.environment, old.kind, old.transaction_id) is distinct from
       (new.app_id, new.environment, new.kind, new.transaction_id) then
    raise exception 'a request stays about what it was made for' using errcode = 'integrity_constraint_violation';
  end if;
  if old.body is not null and old.body is distinct from new.body then
    raise exception 'the body of a request never changes' using errcode = 'integrity_constraint_violation';
  end if;
  if old.approved_by is not null and old.approved_by is distinct from new.approved_by then
    raise exception 'an approval never changes' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger rules before update on refunds.commerce_requests
  for each row execute function refunds.commerce_request_rules();

create table refunds.commerce_items (
  tenant_id bigint not null,
  request_id uuid not null,
  item_no int not null,
  sku text collate "C" not null,
  refund_reason text not null,
  refund_type text not null check (refund_type in ('FULL', 'PRORATED', 'CUSTOM')),
  refund_amount int check (refund_amount > 0),
  revoke boolean not null,
  -- What the item had cost, in milliunits, when the request was made.
  price bigint,
  -- What Apple signed about it since.
  refunded_amount bigint,
  refunded_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, request_id, item_no),
  unique (tenant_id, request_id, sku),
  foreign key (tenant_id, request_id) references refunds.commerce_requests on delete cascade,
  check ((refund_type = 'CUSTOM') = (refund_amount is not null)));

create table refunds.commerce_attempts (
  tenant_id bigint not null,
  request_id uuid not null,
  attempt_no int not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  worker bigint not null,
  started_at timestamptz not null,
  -- Handed to the HTTP client before this moment or not at all.
  send_by timestamptz not null,
  -- After this moment without an end the result is unknown.
  give_up_at timestamptz not null,
  ended_at timestamptz,
  -- doubted: a refusal that no table explains, perhaps the addendum.
  result text check (result in ('accepted', 'refused', 'doubted', 'retry', 'credentials', 'unknown', 'not-sent')),
  status int,
  apple_code bigint,
  apple_message text,
  apple_request_id text,
  error text,
  retry_at timestamptz,
  signing_key_id uuid,
  primary key (tenant_id, request_id, attempt_no),
  foreign key (tenant_id, request_id) references refunds.commerce_requests on delete cascade,
  check ((ended_at is null) = (result is null)),
  check (started_at <= send_by and send_by < give_up_at)) with (fillfactor = 80);
create unique index one_commerce_call_in_flight on refunds.commerce_attempts (tenant_id, request_id)
  where ended_at is null;
create unique index one_commerce_acceptance on refunds.commerce_attempts (tenant_id, request_id)
  where result = 'accepted';
create index commerce_attempts_of_app
  on refunds.commerce_attempts (tenant_id, app_id, environment, started_at);
create trigger rules before update on refunds.commerce_attempts
  for each row execute function refunds.attempt_rules();

-- What Apple signed about a request after its first call: from notifications, per item. Only ever added to.
create table refunds.commerce_facts (
  tenant_id bigint not null,
  request_id uuid not null,
  -- The notificationUUID.
  fact_id uuid not null,
  -- Empty where Apple spoke of the whole transaction.
  sku text collate "C" not null,
  kind text not null check (kind in ('refunded', 'declined', 'reversed')),
  signed_at timestamptz not null,
  amount bigint,
  refunded_at timestamptz,
  revoked_at timestamptz,
  learned_at timestamptz not null,
  primary key (tenant_id, request_id, fact_id, sku, kind),
  foreign key (tenant_id, request_id) references refunds.commerce_requests on delete cascade);
create trigger fixed before update on refunds.commerce_facts for each row execute function refunds.never_changes();

-- ------------------------------------------------------------------ what stands in the way

-- Two facts that are kept apart: Apple approved the app, and the Account Holder accepted the addendum.
create table refunds.commerce_access (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  -- Which of Apple's three models, or a programme such as the one for mini apps.
  approved_as text check (approved_as in ('catalogue', 'creators', 'add-ons', 'programme')),
  approved_by uuid,
  approved_at timestamptz,
  addendum text not null default 'unknown' check (addendum in ('unknown', 'accepted', 'refused')),
  -- Said by a person, with the date on which it was accepted.
  addendum_version text,
  addendum_on date,
  decided_at timestamptz,
  -- Null: an answer of Apple's decided.
  decided_by uuid,
  -- The last call that went through.
  went_through_at timestamptz,
  refused_call text check (refused_call in ('refund', 'revoke', 'cancel')),
  refused_request uuid,
  refused_status int,
  refused_code bigint,
  refused_message text,
  -- What Apple said, to the byte.
  refused_body bytea check (octet_length(refused_body) <= 4096),
  refused_at timestamptz,
  -- Set: no request of this app and environment is sent until somebody has looked.
  stopped_at timestamptz,
  checked_at timestamptz,
  changed_at timestamptz not null,
  primary key (tenant_id, app_id, environment),
  foreign key (tenant_id, app_id) references tenants.apps);

-- What Apple expects beside the calls: whether somebody has thought of it.
create table refunds.commerce_checklists (
  tenant_id bigint not null,
  app_id bigint not null,
  -- Where the app offers a way to ask for a refund.
  refund_path text,
  approvals_owner uuid,
  changed_at timestamptz not null,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps);

-- Above it a second person approves. No row: nobody has to.
create table refunds.approval_limits (
  tenant_id bigint not null,
  app_id bigint not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  milliunits bigint not null check (milliunits >= 0),
  primary key (tenant_id, app_id, currency),
  foreign key (tenant_id, app_id) references tenants.apps);

-- What is spent when something is sold, and does not come back with a refund.
create table refunds.sku_costs (
  tenant_id bigint not null,
  app_id bigint not null,
  sku text collate "C" not null,
  kind text not null check (kind in ('payout', 'licence', 'compute', 'calls', 'other')),
  milliunits bigint not null check (milliunits >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  note text,
  primary key (tenant_id, app_id, sku, kind),
  foreign key (tenant_id, app_id) references tenants.apps);

-- ------------------------------------------------------------------ what Apple signed

-- The newest signed renewal info of each subscription.
create table refunds.renewals (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  original_transaction_id text collate "C" not null,
  signed_at timestamptz not null,
  auto_renews boolean,
  renewal_at timestamptz,
  -- The verified payload, to the byte.
  fields bytea not null,
  primary key (tenant_id, app_id, environment, original_transaction_id));

-- What was sold through Advanced Commerce, item by item: what refunds are set against.
create table refunds.commerce_sales (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  transaction_id text collate "C" not null,
  sku text collate "C" not null,
  sold_at timestamptz not null,
  price bigint,
  currency text,
  primary key (tenant_id, app_id, environment, transaction_id, sku));
create index commerce_sales_by_time on refunds.commerce_sales (tenant_id, app_id, sold_at);

-- Which transaction of a subscription is the latest.
create index transactions_original
  on refunds.transactions (tenant_id, app_id, original_transaction_id, purchased_at desc);

-- ------------------------------------------------------------------ the queue

-- A lane whose calls are few and far between gives that many jobs to a claim, and rests until the next permit after
-- theirs: jobs that could not call would take up the places of those that can.
alter table queue.lanes
  add column claim_max int check (claim_max > 0),
  add column rests_until timestamptz;
-- Rests and permits change a row several times for each call. No index holds what they change, so that each new
-- version finds room on its page and the old ones go without a vacuum.
alter table queue.lanes set (fillfactor = 40);

-- For the retention, as in v0005: block ranges, which tempt no list.
create index commerce_requests_oldest on refunds.commerce_requests using brin (listed_at);
create index commerce_sales_oldest on refunds.commerce_sales using brin (sold_at);
create index renewals_oldest on refunds.renewals using brin (signed_at);

do $$ begin perform tenants.guard_table(t) from unnest(array['refunds.commerce_requests', 'refunds.commerce_items', 'refunds.commerce_attempts', 'refunds.commerce_facts', 'refunds.commerce_access', 'refunds.commerce_checklists', 'refunds.approval_limits', 'refunds.sku_costs', 'refunds.renewals', 'refunds.commerce_sales']::regclass[]) t; end $$;
revoke update on refunds.commerce_facts from refund_desk_tenant, refund_desk_house;

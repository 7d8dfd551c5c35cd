-- The engine: what Apple sent, cases, what the tenant told us.

-- ------------------------------------------------------------------ what Apple sent

-- Certificate headers are public, long and the same for all: one row per leaf certificate. Only
-- verified chains get a row, so that strangers cannot fill the table.
create table refunds.signature_headers (
  header_no int generated always as identity primary key,
  header_sha256 bytea not null unique check (octet_length(header_sha256) = 32),
  header bytea not null,
  first_seen_at timestamptz not null default tenants.now_ms());

-- No foreign key: the inbox proved the app, and a look-up on the intake path costs a quarter more a row.
create table refunds.notifications (
  tenant_id bigint not null,
  app_id bigint not null,
  notification_uuid uuid not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  type text not null,
  subtype text,
  signed_at timestamptz not null,
  received_at timestamptz not null default tenants.now_ms(),
  source text not null default 'posted' check (source in ('posted', 'history')),
  deliveries int not null default 1,
  standing text not null default 'stored' check (standing in ('stored', 'acted', 'nothing-to-do', 'set-aside')),
  -- Only after the inner signature was verified.
  transaction_id text collate "C",
  primary key (tenant_id, app_id, notification_uuid)) with (fillfactor = 90);
create index notifications_newest
  on refunds.notifications (tenant_id, app_id, received_at desc, notification_uuid desc);
create index notifications_of_transaction
  on refunds.notifications (tenant_id, app_id, transaction_id, signed_at) where transaction_id is not null;
create statistics refunds.notifications_app (dependencies, ndistinct)
  on tenant_id, app_id from refunds.notifications;

-- Partitioned by month, so that forgetting is dropping. Uniqueness must hold across months and
-- therefore stands on the table above.
create table refunds.notification_bodies (
  tenant_id bigint not null,
  app_id bigint not null,
  notification_uuid uuid not null,
  received_at timestamptz not null,
  -- 0 as received, 1 packed (docs/data-model.md)
  form smallint not null check (form in (0, 1)),
  headers int[] not null,
  signature bytea not null,
  body bytea not null,
  primary key (tenant_id, app_id, notification_uuid, received_at)) partition by range (received_at);
create table refunds.notification_bodies_default partition of refunds.notification_bodies default;

-- The quarantine: a ring per app. A flood of forgeries overwrites itself.
create table refunds.refusal_heads (
  tenant_id bigint not null,
  app_id bigint not null,
  seen bigint not null default 0,
  primary key (tenant_id, app_id),
  foreign key (tenant_id, app_id) references tenants.apps on delete cascade);
create table refunds.refusals (
  tenant_id bigint not null,
  app_id bigint not null,
  slot int not null,
  refusal_no bigint not null,
  received_at timestamptz not null,
  reason text not null,
  detail text not null,
  -- Set where an accepted notification was set aside later.
  notification_uuid uuid,
  body_sha256 bytea not null,
  bytes int not null,
  body bytea,
  user_agent text,
  forwarded_for text,
  primary key (tenant_id, app_id, slot),
  foreign key (tenant_id, app_id) references tenants.apps on delete cascade);
create index refusals_newest on refunds.refusals (tenant_id, app_id, received_at desc, refusal_no desc);
create table refunds.refusal_counts (
  tenant_id bigint not null,
  app_id bigint not null,
  hour timestamptz not null,
  reason text not null,
  n bigint not null,
  primary key (tenant_id, app_id, hour, reason));

-- The newest signed form of each transaction.
create table refunds.transactions (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  transaction_id text collate "C" not null,
  original_transaction_id text collate "C" not null,
  signed_at timestamptz not null,
  product_id text collate "C" not null,
  type text,
  customer text collate "C",
  purchased_at timestamptz,
  expires_at timestamptz,
  price bigint,
  currency text,
  storefront text,
  ownership text,
  revoked_at timestamptz,
  revocation_type text,
  revocation_share int,
  revocation_reason int,
  -- The verified payload, to the byte.
  fields bytea not null,
  -- True where an authenticated look-up gave a transaction without a bundle ID.
  bundle_id_missing boolean not null default false,
  primary key (tenant_id, app_id, environment, transaction_id));
create index transactions_customer
  on refunds.transactions (tenant_id, app_id, customer, purchased_at desc) where customer is not null;
create statistics refunds.transactions_app (dependencies, ndistinct)
  on tenant_id, app_id from refunds.transactions;

-- ------------------------------------------------------------------ cases

-- One case per app, environment and transaction. state and outcome are the stored value of a pure
-- function of facts and acts (docs/state-machines.md); nothing else sets them.
create table refunds.cases (
  tenant_id bigint not null,
  case_id uuid not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  transaction_id text collate "C" not null,
  original_transaction_id text collate "C" not null,
  product_id text collate "C" not null,
  customer text collate "C",
  state text not null check (state in ('open', 'held', 'answered', 'withheld', 'refused', 'missed', 'overtaken', 'unasked', 'imported')),
  state_reason text,
  outcome text not null check (outcome in ('pending', 'refunded', 'declined', 'reversed')),
  reason text,
  price bigint,
  currency text,
  -- The newest request's signedDate; without a request, the earliest fact's.
  listed_at timestamptz not null,
  deadline timestamptz,
  changed_at timestamptz not null default tenants.now_ms(),
  version int not null default 1,
  check (state not in ('open', 'held', 'answered', 'missed') or deadline is not null),
  -- Environment, state, outcome and reason in one number: a filter is the list of facets it allows,
  -- and a page is a merge over them. An index per filter was up to 15,000 times slower.
  facet smallint not null generated always as (
      (environment = 'Sandbox')::int * 512
    + coalesce(array_position(array['open', 'held', 'answered', 'withheld', 'refused', 'missed', 'overtaken', 'unasked', 'imported'], state), 0) * 32
    + (array_position(array['pending', 'refunded', 'declined', 'reversed'], outcome) - 1) * 8
    + case when reason is null then 0
           else coalesce(array_position(array['UNINTENDED_PURCHASE', 'FULFILLMENT_ISSUE', 'UNSATISFIED_WITH_PURCHASE', 'LEGAL', 'OTHER'], reason), 7) end) stored,
  primary key (tenant_id, case_id),
  unique (tenant_id, app_id, environment, transaction_id),
  foreign key (tenant_id, app_id) references tenants.apps) with (fillfactor = 85);
create index cases_newest on refunds.cases (tenant_id, app_id, listed_at desc, case_id desc);
create index cases_facet on refunds.cases (tenant_id, app_id, facet, listed_at desc, case_id desc);
create index cases_product on refunds.cases (tenant_id, app_id, product_id, facet, listed_at desc, case_id desc);
create index cases_customer on refunds.cases (tenant_id, app_id, customer, listed_at desc) where customer is not null;
create index cases_original on refunds.cases (tenant_id, app_id, original_transaction_id, listed_at desc);
create index cases_transaction on refunds.cases (tenant_id, app_id, transaction_id);
create index cases_due on refunds.cases (deadline) where state in ('open', 'held');
-- tenant and app imply each other. Without these the planner multiplies the two and expects one row.
create statistics refunds.cases_app (dependencies, ndistinct) on tenant_id, app_id from refunds.cases;

-- What Apple signed about a case. Only ever added to.
create table refunds.facts (
  tenant_id bigint not null,
  case_id uuid not null,
  -- The notificationUUID, or derived from a look-up's JWS.
  fact_id uuid not null,
  kind text not null check (kind in ('request', 'refund', 'declined', 'reversed', 'seen')),
  signed_at timestamptz not null,
  source text not null check (source in ('notification', 'history', 'refund-history', 'transaction', 'import')),
  learned_at timestamptz not null default tenants.now_ms(),
  reason text,
  revoked_at timestamptz,
  revocation_type text,
  revocation_share int,
  revocation_reason int,
  primary key (tenant_id, case_id, fact_id),
  foreign key (tenant_id, case_id) references refunds.cases on delete cascade);

-- One per CONSUMPTION_REQUEST; its id is the notificationUUID.
create table refunds.rounds (
  tenant_id bigint not null,
  case_id uuid not null,
  round_id uuid not null,
  requested_at timestamptz not null,
  deadline timestamptz not null,
  state text not null check (state in ('open', 'held', 'answered', 'withheld', 'refused', 'missed', 'overtaken', 'imported', 'superseded')),
  state_reason text,
  -- Apple itself first delivered the request after its deadline.
  late boolean not null default false,
  first_received_at timestamptz not null,
  -- JSON of our own: the rule, the values it saw, their sources and times.
  decision text,
  -- Why that decision sends nothing. An act: state is computed from it, and may be something else.
  withheld text,
  decided_at timestamptz,
  hold_until timestamptz,
  version int not null default 1,
  primary key (tenant_id, case_id, round_id),
  foreign key (tenant_id, case_id) references refunds.cases on delete cascade,
  check (state <> 'withheld' or state_reason is not null),
  check ((state = 'held') = (hold_until is not null)),
  check (hold_until < deadline));

-- The one body of a round; never changed.
create table refunds.replies (
  tenant_id bigint not null,
  case_id uuid not null,
  round_id uuid not null,
  api smallint not null check (api in (1, 2)),
  body bytea not null,
  consent_change_no bigint,
  frozen_at timestamptz not null default tenants.now_ms(),
  primary key (tenant_id, case_id, round_id),
  foreign key (tenant_id, case_id, round_id) references refunds.rounds on delete cascade);

create table refunds.attempts (
  tenant_id bigint not null,
  case_id uuid not null,
  round_id uuid not null,
  attempt_no int not null,
  worker bigint not null,
  started_at timestamptz not null,
  -- Handed to the HTTP client before this moment or not at all.
  send_by timestamptz not null,
  -- After this moment without an end the result is unknown.
  give_up_at timestamptz not null,
  ended_at timestamptz,
  result text check (result in ('accepted', 'refused', 'retry', 'credentials', 'unknown', 'not-sent')),
  status int,
  apple_code bigint,
  apple_message text,
  apple_request_id text,
  -- What went wrong in our words, where there was no answer.
  error text,
  retry_at timestamptz,
  signing_key_id uuid,
  primary key (tenant_id, case_id, round_id, attempt_no),
  foreign key (tenant_id, case_id, round_id) references refunds.replies on delete cascade,
  check ((ended_at is null) = (result is null)),
  check (started_at <= send_by and send_by < give_up_at));
create unique index one_call_in_flight on refunds.attempts (tenant_id, case_id) where ended_at is null;
create unique index one_acceptance on refunds.attempts (tenant_id, case_id, round_id) where result = 'accepted';
create index attempts_in_flight on refunds.attempts (give_up_at) where ended_at is null;

-- Only what has no row of its own: holds, releases, remarks.
create table refunds.case_notes (
  tenant_id bigint not null,
  case_id uuid not null,
  note_no int not null,
  at timestamptz not null,
  kind text not null,
  person_id uuid,
  detail text not null default '{}',
  primary key (tenant_id, case_id, note_no),
  foreign key (tenant_id, case_id) references refunds.cases on delete cascade);

-- ------------------------------------------------------------------ what the tenant told us

-- How consent stands now: the row a sender locks.
create table refunds.consents (
  tenant_id bigint not null,
  app_id bigint not null,
  -- customer: subject is the appAccountToken, lower case. purchase: a transactionId or originalTransactionId.
  of text not null check (of in ('customer', 'purchase')),
  subject text collate "C" not null,
  consented boolean not null,
  given_at timestamptz not null,
  learned_at timestamptz not null,
  change_no bigint not null,
  primary key (tenant_id, app_id, of, subject),
  foreign key (tenant_id, app_id) references tenants.apps);
-- How it came to stand so. Only ever added to.
create table refunds.consent_changes (
  tenant_id bigint not null,
  app_id bigint not null,
  of text not null check (of in ('customer', 'purchase')),
  subject text collate "C" not null,
  change_no bigint generated always as identity,
  consented boolean not null,
  given_at timestamptz not null,
  learned_at timestamptz not null,
  wording text,
  source text,
  primary key (tenant_id, app_id, of, subject, change_no),
  foreign key (tenant_id, app_id) references tenants.apps);

-- Usage reports, folded member by member, newest observed_at first. Only ever added to.
create table refunds.usage (
  tenant_id bigint not null,
  app_id bigint not null,
  transaction_id text collate "C" not null,
  usage_no bigint generated always as identity,
  delivery_status text,
  share int check (share between 0 and 100000),
  sample_content boolean,
  observed_at timestamptz not null,
  learned_at timestamptz not null,
  source text not null default 'pushed',
  primary key (tenant_id, app_id, transaction_id, usage_no),
  foreign key (tenant_id, app_id) references tenants.apps);

-- ------------------------------------------------------------------ invariants that a check cannot say

create function refunds.never_changes() returns trigger language plpgsql as $$
begin
  raise exception '% is only ever added to', tg_relid::regclass using errcode = 'integrity_constraint_violation';
end $$;
create trigger fixed before update or delete on tenants.audit for each row execute function refunds.never_changes();
create trigger fixed before update on refunds.facts for each row execute function refunds.never_changes();
create trigger fixed before update on refunds.replies for each row execute function refunds.never_changes();
create trigger fixed before update on refunds.consent_changes for each row execute function refunds.never_changes();
create trigger fixed before update on refunds.usage for each row execute function refunds.never_changes();
create trigger fixed before update on refunds.case_notes for each row execute function refunds.never_changes();

create function refunds.attempt_rules() returns trigger language plpgsql as $$
begin
  if old.result in ('accepted', 'refused') then
    raise exception 'an attempt that ended for good does not change' using errcode = 'integrity_constraint_violation';
  end if;
  if old.ended_at is not null and old.result <> 'unknown' then
    raise exception 'only an unknown result may still become known' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger rules before update on refunds.attempts for each row execute function refunds.attempt_rules();

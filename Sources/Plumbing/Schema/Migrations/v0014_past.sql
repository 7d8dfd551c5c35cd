-- What customers agreed to, what Apple takes back of it, what Apple knows of the time before us, and when apps' servers were asked.

-- ------------------------------------------------------------------ wordings

-- Texts that customers agreed to. Only ever added to: another text has another name.
create table tenants.wordings (
  tenant_id bigint not null,
  app_id bigint not null,
  -- The app's own name for it, as reports of consent give it.
  version text collate "C" not null check (octet_length(version) between 1 and 500),
  text text not null check (octet_length(text) between 1 and 65536),
  -- Since when customers were shown it.
  shown_from timestamptz not null,
  -- Null where a command did it.
  author uuid,
  made_at timestamptz not null,
  primary key (tenant_id, app_id, version),
  foreign key (tenant_id, app_id) references tenants.apps);
create trigger fixed before update or delete on tenants.wordings for each row execute function refunds.never_changes();
do $$ begin perform tenants.guard_table('tenants.wordings'); end $$;
revoke update, delete on tenants.wordings from refund_desk_tenant, refund_desk_house;

-- ------------------------------------------------------------------ consent that Apple takes back

alter table refunds.transactions add column app_transaction_id text collate "C";
create index transactions_app_transaction on refunds.transactions (tenant_id, app_id, app_transaction_id)
  where app_transaction_id is not null;
-- Who else bought the same at about the same time: for a person who looks for a purchase's buyer.
create index transactions_product on refunds.transactions (tenant_id, app_id, product_id, purchased_at)
  where customer is not null;

-- RESCIND_CONSENT: a parent withdrew consent for everything that was bought under one appTransactionId. Stops replies
-- until a person decides.
create table refunds.rescissions (
  tenant_id bigint not null,
  app_id bigint not null,
  notification_uuid uuid not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  app_transaction_id text collate "C" not null check (octet_length(app_transaction_id) between 1 and 64),
  signed_at timestamptz not null,
  learned_at timestamptz not null,
  -- Null: stopped, and nobody looked yet.
  decision text check (decision in ('answer-again', 'leave-stopped')),
  decided_by uuid,
  decided_at timestamptz,
  primary key (tenant_id, app_id, notification_uuid),
  foreign key (tenant_id, app_id) references tenants.apps,
  check ((decision is null) = (decided_at is null)));
create index rescissions_of on refunds.rescissions (tenant_id, app_id, environment, app_transaction_id);
create index rescissions_newest on refunds.rescissions (tenant_id, app_id, learned_at desc);

-- ------------------------------------------------------------------ whose purchase it is

-- Customers of purchases that name none: as the app's server said when it was asked, or as a person chose. Only ever added to, and
-- taken back once.
create table refunds.named_customers (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  original_transaction_id text collate "C" not null check (octet_length(original_transaction_id) between 1 and 64),
  naming_id uuid not null,
  customer text collate "C" not null check (octet_length(customer) between 1 and 200),
  source text not null check (source in ('callback', 'person')),
  -- Why the person believes it.
  note text not null default '' check (octet_length(note) <= 1000),
  -- Of a person: a member, or the token by which the tenant's own server said so for somebody.
  person_id uuid,
  token_id uuid,
  name text not null,
  named_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_name text,
  primary key (tenant_id, app_id, naming_id),
  foreign key (tenant_id, app_id) references tenants.apps,
  check (source = 'callback' or (person_id is null) <> (token_id is null)),
  check ((withdrawn_at is null) = (withdrawn_name is null)));
-- Of two people who choose at once, one does.
create unique index named_customers_one on refunds.named_customers
  (tenant_id, app_id, environment, original_transaction_id, source) where withdrawn_at is null;
create index named_customers_purchase on refunds.named_customers
  (tenant_id, app_id, environment, original_transaction_id, named_at desc);
create index named_customers_customer on refunds.named_customers (tenant_id, app_id, customer) where withdrawn_at is null;

create function refunds.naming_rules() returns trigger language plpgsql as $$
begin
  if old.withdrawn_at is not null or new.withdrawn_at is null
    or row(new.tenant_id, new.app_id, new.environment, new.original_transaction_id, new.naming_id, new.customer, new.source,
           new.note, new.person_id, new.token_id, new.name, new.named_at)
      is distinct from
       row(old.tenant_id, old.app_id, old.environment, old.original_transaction_id, old.naming_id, old.customer, old.source,
           old.note, old.person_id, old.token_id, old.name, old.named_at)
  then
    raise exception 'who named a customer is only ever taken back, once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger rules before update on refunds.named_customers for each row execute function refunds.naming_rules();

-- ------------------------------------------------------------------ what Apple knows of a customer

-- How far Apple's records of one customer are read: two lists, each from where it was read to the last time.
create table refunds.pasts (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  -- The appTransactionId, else the originalTransactionId.
  subject text collate "C" not null check (octet_length(subject) between 1 and 64),
  list text not null check (list in ('transactions', 'refunds')),
  -- Apple's word for the place behind the last page.
  revision text check (octet_length(revision) between 1 and 2048),
  -- Of the reading of this moment.
  pages int not null default 0,
  -- Eight bytes for each page so far: what comes again is noticed.
  seen bytea not null default '' check (octet_length(seen) <= 16384),
  restarted boolean not null default false,
  -- When it was last read to its end.
  read_at timestamptz,
  -- When a reading last stopped before the end, and why.
  broken_at timestamptz,
  trouble text check (octet_length(trouble) <= 500),
  primary key (tenant_id, app_id, environment, subject, list),
  foreign key (tenant_id, app_id) references tenants.apps,
  check ((broken_at is null) = (trouble is null)));

-- ------------------------------------------------------------------ no decision heard

-- Apple tells of a decline only where the customer asked in the app: a case that hears nothing for 14 days is 'unheard'.
alter table refunds.cases drop constraint cases_outcome_check;
alter table refunds.cases
  add constraint cases_outcome_check check (outcome in ('pending', 'refunded', 'declined', 'reversed', 'unheard')),
  -- When Apple's refund history is looked at next for a decision that was never delivered.
  add column look_at timestamptz not null default tenants.now_ms() + interval '1 day',
  -- Five outcomes do not fit into the place of four.
  drop column facet;
alter table refunds.cases
  add column facet smallint not null generated always as (
      (environment = 'Sandbox')::int * 1024
    + coalesce(array_position(array['open', 'held', 'answered', 'withheld', 'refused', 'missed', 'overtaken', 'unasked', 'imported'], state), 0) * 64
    + (array_position(array['pending', 'refunded', 'declined', 'reversed', 'unheard'], outcome) - 1) * 8
    + case when reason is null then 0
           else coalesce(array_position(array['UNINTENDED_PURCHASE', 'FULFILLMENT_ISSUE', 'UNSATISFIED_WITH_PURCHASE', 'LEGAL', 'OTHER'], reason), 7) end) stored;
create index cases_facet on refunds.cases (tenant_id, app_id, facet, listed_at desc, case_id desc);
create index cases_product on refunds.cases (tenant_id, app_id, product_id, facet, listed_at desc, case_id desc);
create index cases_undecided on refunds.cases (look_at) where outcome = 'pending' and deadline is not null;

-- ------------------------------------------------------------------ the time before an app was added

-- 'import': from before the app was handed to us; never answered.
alter table refunds.notifications drop constraint notifications_source_check;
alter table refunds.notifications
  add constraint notifications_source_check check (source in ('posted', 'history', 'import'));

-- The one reading of Apple's notification history back to its beginning; types of notifications one after the other.
create table refunds.imports (
  tenant_id bigint not null,
  app_id bigint not null,
  environment text not null check (environment in ('Production', 'Sandbox')),
  state text not null check (state in ('running', 'done', 'stopped', 'given-up')),
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  -- What was undelivered from here on is the sweeps' to answer.
  live_from timestamptz not null,
  started_at timestamptz not null,
  started_by uuid,
  -- The type that is being read: its place in the list.
  pass int not null default 0,
  token text check (octet_length(token) <= 2048),
  pages int not null default 0,
  seen bytea not null default '' check (octet_length(seen) <= 65536),
  restarted boolean not null default false,
  -- What was named so far: found new, held here already, not to be believed.
  imported bigint not null default 0,
  held bigint not null default 0,
  refused bigint not null default 0,
  failures int not null default 0,
  trouble text check (octet_length(trouble) <= 500),
  ended_at timestamptz,
  turn bigint not null default 0,
  primary key (tenant_id, app_id, environment),
  foreign key (tenant_id, app_id) references tenants.apps,
  check (begins_at < ends_at),
  check ((state = 'running') = (ended_at is null)));

-- ------------------------------------------------------------------ each time an app's server was asked

-- Written before the question leaves: of a process that died meanwhile the row remains, and nobody knows what came of it.
create table refunds.ask_tries (
  tenant_id bigint not null,
  case_id uuid not null,
  round_id uuid not null,
  try_no int not null check (try_no between 1 and 200),
  begun_at timestamptz not null,
  ended_at timestamptz,
  result text check (result in ('answered', 'refused', 'failed')),
  status int,
  -- In words, where there was no answer that could be used.
  why text check (octet_length(why) <= 500),
  primary key (tenant_id, case_id, round_id, try_no),
  foreign key (tenant_id, case_id, round_id) references refunds.asks on delete cascade,
  check ((ended_at is null) = (result is null)));

do $$ begin perform tenants.guard_table(t) from unnest(array[
  'refunds.rescissions', 'refunds.named_customers', 'refunds.pasts', 'refunds.imports', 'refunds.ask_tries']::regclass[]) t; end $$;
revoke delete on refunds.named_customers from refund_desk_tenant, refund_desk_house;

-- Watching: what each process tells of its machine, and mail addresses that are confirmed before anything is sent to them.

-- JSON of a few hundred bytes; null for a release that tells nothing.
alter table tenants.processes add column facts text;

alter table refunds.channels
  -- When whoever reads there said so; null also for kinds that need no confirmation.
  add column confirmed_at timestamptz,
  -- SHA-256 of the newest links' tokens, and until when they count.
  add column confirm_hashes bytea[] not null default '{}',
  add column confirm_until timestamptz;
-- Addresses that were in use before stay in use.
update refunds.channels set confirmed_at = created_at where kind = 'email';
create index channels_to_confirm on refunds.channels (confirm_until) where confirmed_at is null and confirm_until is not null;

-- Few wait; all that were ever sent stay.
create index notices_waiting on refunds.notices (tenant_id, made_at) where state = 'waiting';

alter table refunds.notices drop constraint notices_event_check;
alter table refunds.notices add constraint notices_event_check
  check (event in ('trigger', 'reminder', 'acknowledged', 'resolved', 'test', 'confirm'));

-- What an incident says, as JSON of ours: other languages are made of it. Null for what an older release wrote down.
alter table refunds.incidents add column words text;

-- Where reasons drift is counted by.
alter table refunds.cases
  -- ISO 3166-1, three letters, of the newest signed form of the transaction.
  add column storefront text,
  -- bundleVersion of the newest request or refund, as Apple named it.
  add column build text,
  -- When Apple refunded, and revocationReason: 1 is the developer's issue.
  add column refunded_at timestamptz,
  add column refund_reason int;
create index cases_refunded on refunds.cases (tenant_id, app_id, refunded_at desc, case_id desc) where refunded_at is not null;

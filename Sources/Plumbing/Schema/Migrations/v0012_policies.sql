-- Policies of apps, in versions; requests that wait for a person, and what the person said.

-- What decides, as people wrote it. Only ever added to: going back to an older one adds it again.
create table refunds.policies (
  tenant_id bigint not null,
  app_id bigint not null,
  -- From 1; the greatest one decides.
  version int not null check (version > 0),
  rules text not null check (octet_length(rules) between 1 and 32768),
  note text not null default '' check (octet_length(note) <= 500),
  -- Null where a command did it.
  author uuid,
  made_at timestamptz not null,
  primary key (tenant_id, app_id, version),
  foreign key (tenant_id, app_id) references tenants.apps);
create trigger fixed before update or delete on refunds.policies for each row execute function refunds.never_changes();
do $$ begin perform tenants.guard_table('refunds.policies'); end $$;
revoke update, delete on refunds.policies from refund_desk_tenant, refund_desk_house;

alter table refunds.rounds
  -- A person was asked, and is waited for until then. An act: hold_until is the state that follows from it.
  add column ask_until timestamptz,
  -- JSON of our own: what a person decided, why, and who it was. Said once.
  add column answer text check (octet_length(answer) <= 8192),
  add column answered_at timestamptz,
  add check ((answer is null) = (answered_at is null));

-- Who is waited for longest comes first.
create index rounds_held on refunds.rounds (tenant_id, deadline, case_id) where state = 'held';

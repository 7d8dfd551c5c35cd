-- Who may see what. DATABASE_URL names one login; every connection takes one of four hats right
-- after connecting, and a pool is a pool of one hat:
--
--   refund_desk_tenant   everything of the tenant named by set_config('desk.tenant', …, true); with none named, nothing
--   refund_desk_intake   adds notifications and jobs of any tenant, counts repeats, reads the directory; cannot read a body
--   refund_desk_queue    jobs, lanes and workers of all tenants; nothing else
--   refund_desk_house    across tenants: sign-in, administration, retention, counters
--
-- Row security is forced, so the owner is bound too. The owner has a policy of its own for
-- migrations and dumps; no pool runs as the owner.

do $$
declare
  r text;
  may_take boolean;
begin
  foreach r in array array['refund_desk_tenant', 'refund_desk_intake', 'refund_desk_queue', 'refund_desk_house'] loop
    -- Roles belong to the whole server: another installation may have made them already, and a
    -- login without createrole fails even when they exist.
    if not exists (select from pg_roles where rolname = r) then
      begin
        execute format('create role %I nologin', r);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    -- An owner is not a member by itself, and since PostgreSQL 16 being a member is not enough to
    -- take a role. Not granted twice: two databases of one server that are set up at once would
    -- write the same row of the catalogue.
    if current_setting('server_version_num')::int >= 160000 then
      may_take := pg_has_role(current_user, r, 'SET');
    else
      may_take := pg_has_role(current_user, r, 'MEMBER');
    end if;
    if not may_take then
      execute format('grant %I to current_user', r);
    end if;
  end loop;
end $$;

-- Another installation on the same server shares the role names; our database is not theirs.
do $$
begin
  execute format('revoke connect on database %I from public', current_database());
  execute format('grant connect on database %I to current_user', current_database());
end $$;

-- What version the schema has, for doctor and for the start of serve.
grant usage on schema desk to refund_desk_tenant, refund_desk_intake, refund_desk_queue, refund_desk_house;
grant select on desk.schema_versions to refund_desk_tenant, refund_desk_intake, refund_desk_queue, refund_desk_house;

grant usage on schema tenants, refunds, queue
  to refund_desk_tenant, refund_desk_intake, refund_desk_queue, refund_desk_house;

do $$
declare t record;
begin
  for t in
    select c.oid::regclass as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace in ('tenants'::regnamespace, 'refunds'::regnamespace, 'queue'::regnamespace)
      and c.relkind in ('r', 'p')
  loop
    execute format('alter table %s enable row level security', t.name);
    execute format('alter table %s force row level security', t.name);
    execute format('create policy owner_sees_all on %s to current_user using (true) with check (true)', t.name);
    execute format('create policy own_tenant on %s to refund_desk_tenant using (tenant_id = tenants.current_tenant()) with check (tenant_id = tenants.current_tenant())', t.name);
    execute format('create policy house on %s to refund_desk_house using (true) with check (true)', t.name);
    execute format('grant select, insert, update, delete on %s to refund_desk_tenant, refund_desk_house', t.name);
  end loop;
end $$;
-- A partition is reached through its table only.
revoke all on refunds.notification_bodies_default from refund_desk_tenant, refund_desk_house;

-- Makes the partitions of this month and the next ones; any number of times. Returns how many were
-- missing. A month of which rows already lie in the default partition stays there: doctor warns.
-- It runs as the owner, so that the house may ask for it every month.
create function refunds.make_partitions(months_ahead int) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  first timestamptz;
  name text;
  made int := 0;
begin
  -- Two at once would both find the same month missing.
  perform pg_advisory_xact_lock(hashtext('refunds.make_partitions'));
  for n in 0..least(greatest(months_ahead, 0), 120) loop
    first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => n)) at time zone 'UTC';
    name := 'notification_bodies_' || to_char(first at time zone 'UTC', 'YYYY_MM');
    continue when to_regclass('refunds.' || name) is not null;
    begin
      execute format('create table refunds.%I partition of refunds.notification_bodies for values from (%L) to (%L)',
        name, first, (first at time zone 'UTC' + interval '1 month') at time zone 'UTC');
      -- Forced here too, with the owner's policy: a dump reads each partition by itself.
      execute format('alter table refunds.%I enable row level security', name);
      execute format('alter table refunds.%I force row level security', name);
      execute format('create policy owner_sees_all on refunds.%I to current_user using (true) with check (true)', name);
      execute format('create policy own_tenant on refunds.%I to refund_desk_tenant using (tenant_id = tenants.current_tenant()) with check (tenant_id = tenants.current_tenant())', name);
      execute format('create policy house on refunds.%I to refund_desk_house using (true) with check (true)', name);
      made := made + 1;
    exception when check_violation then
      raise warning 'rows of % lie in the default partition', name;
    end;
  end loop;
  return made;
end $$;
revoke execute on function refunds.make_partitions(int) from public;
grant execute on function refunds.make_partitions(int) to refund_desk_house;

revoke update, delete on tenants.audit from refund_desk_tenant, refund_desk_house;
revoke update on refunds.facts, refunds.replies, refunds.consent_changes, refunds.usage, refunds.case_notes
  from refund_desk_tenant, refund_desk_house;
-- Only the house makes and closes tenants.
revoke insert, update, delete on tenants.tenants from refund_desk_tenant;

grant select, insert, update, delete
  on tenants.people, tenants.sessions, tenants.sign_in_links, tenants.sign_in_failures,
    tenants.processes
  to refund_desk_house;
grant select on refunds.signature_headers to refund_desk_tenant, refund_desk_house;
grant select, insert on refunds.signature_headers to refund_desk_intake;

-- The gateway's writer: any tenant, but only these columns, and no body can be read back.
grant insert on refunds.notifications, refunds.notification_bodies, queue.jobs to refund_desk_intake;
grant select (tenant_id, app_id, notification_uuid, environment, signed_at, received_at, deliveries, standing),
      update (deliveries)
  on refunds.notifications to refund_desk_intake;
create policy intake_adds on refunds.notifications for insert to refund_desk_intake with check (true);
create policy intake_counts on refunds.notifications for update to refund_desk_intake using (true) with check (true);
create policy intake_knows on refunds.notifications for select to refund_desk_intake using (true);
create policy intake_adds on refunds.notification_bodies for insert to refund_desk_intake with check (true);
create policy intake_adds on queue.jobs for insert to refund_desk_intake with check (true);

-- The directory of inboxes. Column grants: a token's hash finds its app, and nothing more is read.
grant select (tenant_id, inbox_id, app_id, token_sha256, retired_at) on tenants.inboxes to refund_desk_intake;
grant select on tenants.apps to refund_desk_intake;
create policy directory on tenants.inboxes for select to refund_desk_intake using (true);
create policy directory on tenants.apps for select to refund_desk_intake using (true);

-- The queue: every tenant's jobs and lanes, nothing else.
grant select, insert, update, delete on queue.jobs, queue.lanes, queue.workers to refund_desk_queue;
grant select on queue.workers to refund_desk_house;
create policy all_tenants on queue.jobs to refund_desk_queue using (true) with check (true);
create policy all_tenants on queue.lanes to refund_desk_queue using (true) with check (true);

grant usage on all sequences in schema tenants, queue, refunds
  to refund_desk_tenant, refund_desk_intake, refund_desk_queue, refund_desk_house;

-- The directory in memory is refreshed when an app or an inbox changes.
create function tenants.directory_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('desk_directory', '');
  return null;
end $$;
create trigger directory_changed after insert or update or delete on tenants.apps
  for each statement execute function tenants.directory_changed();
create trigger directory_changed after insert or update or delete on tenants.inboxes
  for each statement execute function tenants.directory_changed();

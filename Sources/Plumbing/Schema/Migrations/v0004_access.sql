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
declare r text;
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
    if not pg_has_role(current_user, r, 'member') or (select rolsuper from pg_roles where rolname = current_user) then
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

-- Forgetting. What is kept and how long: docs/decisions/0006-retention.md. The terms come from the
-- program; only the dropping of whole months needs the owner, and so a function of the owner's.

-- Drops every month of bodies that ended at or before `before`, and what lies in the default partition
-- from before it. Gives the number of months dropped.
create function refunds.forget_bodies(before timestamptz) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month record;
  ended timestamptz;
  dropped int := 0;
begin
  -- A slip of a sign must not empty the archive.
  if before > now() - interval '30 days' then
    raise exception 'bodies younger than 30 days are never forgotten' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(hashtext('refunds.make_partitions'));
  for month in
    select c.oid::regclass as name, c.relname
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'refunds.notification_bodies'::regclass
      and c.relname ~ '^notification_bodies_\d{4}_\d{2}$'
    order by c.relname
  loop
    ended := (to_date(right(month.relname, 7), 'YYYY_MM')::timestamp + interval '1 month') at time zone 'UTC';
    exit when ended > before;
    execute format('drop table %s', month.name);
    dropped := dropped + 1;
  end loop;
  delete from refunds.notification_bodies_default where received_at < before;
  return dropped;
end $$;
revoke execute on function refunds.forget_bodies(timestamptz) from public;
grant execute on function refunds.forget_bodies(timestamptz) to refund_desk_house;

-- Each of these serves one statement of the retention and nothing else. As block ranges, which have no
-- order: a plain index on the time alone would tempt the planner away from the lists' own indexes.
create index notifications_oldest on refunds.notifications using brin (received_at);
create index cases_oldest on refunds.cases using brin (listed_at);
create index refusals_oldest on refunds.refusals using brin (received_at);
create index transactions_oldest on refunds.transactions using brin (signed_at);
create index usage_oldest on refunds.usage using brin (learned_at);

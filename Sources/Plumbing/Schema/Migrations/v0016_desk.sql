-- Work on cases by people: who looks after one.

alter table refunds.cases
  -- A member of the tenant; null: nobody. Whoever leaves the tenant leaves their cases to nobody.
  add column assignee uuid,
  add foreign key (tenant_id, assignee) references tenants.members on delete set null (assignee);

-- Whether somebody looks after a case is part of the number that lists are narrowed by: "nobody does" fits most cases of most
-- tenants and none of others, and is found by index in both.
alter table refunds.cases drop column facet;
alter table refunds.cases add column facet smallint not null generated always as (
    (assignee is not null)::int * 2048
  + (environment = 'Sandbox')::int * 1024
  + coalesce(array_position(array['open', 'held', 'answered', 'withheld', 'refused', 'missed', 'overtaken', 'unasked', 'imported'], state), 0) * 64
  + (array_position(array['pending', 'refunded', 'declined', 'reversed', 'unheard'], outcome) - 1) * 8
  + case when reason is null then 0
         else coalesce(array_position(array['UNINTENDED_PURCHASE', 'FULFILLMENT_ISSUE', 'UNSATISFIED_WITH_PURCHASE', 'LEGAL', 'OTHER'], reason), 7) end) stored;
-- With the facet beside it, the newest few are told apart without a look at their rows.
drop index refunds.cases_newest;
create index cases_newest on refunds.cases (tenant_id, app_id, listed_at desc, case_id desc) include (facet);
create index cases_facet on refunds.cases (tenant_id, app_id, facet, listed_at desc, case_id desc);
create index cases_product on refunds.cases (tenant_id, app_id, product_id, facet, listed_at desc, case_id desc);
create index cases_told on refunds.cases (tenant_id, app_id, told, facet, listed_at desc, case_id desc)
  where told is not null;
-- Somebody's cases, all of them and with a filter; few rows are in these. The person stands before the app, so that the end of a
-- membership finds their cases too.
create index cases_assigned on refunds.cases (tenant_id, assignee, app_id, listed_at desc, case_id desc)
  where assignee is not null;
create index cases_assigned_facet on refunds.cases (tenant_id, assignee, app_id, facet, listed_at desc, case_id desc)
  where assignee is not null;

-- Whoever leaves the tenant leaves their cases to nobody, and that is a step of each case's story. Written here, whoever ends the
-- membership, so that the room of people knows of no case. The membership is locked before its cases, as who gives a case to a
-- member locks them.
create function refunds.leave_cases() returns trigger language plpgsql as $$
begin
  perform from refunds.cases c
  where c.tenant_id = old.tenant_id and c.assignee = old.person_id
  order by c.case_id
  for update;
  -- A statement of its own: it sees the notes of whoever held a case until now.
  insert into refunds.case_notes (tenant_id, case_id, note_no, at, kind, detail)
  select c.tenant_id, c.case_id,
    coalesce((select max(n.note_no) from refunds.case_notes n where n.tenant_id = c.tenant_id and n.case_id = c.case_id), 0) + 1,
    tenants.now_ms(), 'assigned', '{"left":true}'
  from refunds.cases c
  where c.tenant_id = old.tenant_id and c.assignee = old.person_id;
  return old;
end $$;
create trigger leaves_cases before delete on tenants.members for each row execute function refunds.leave_cases();

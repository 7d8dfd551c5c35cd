-- Work. A lane is one app in one environment (app_id * 2, plus 1 for Sandbox), because Apple's rate
-- limits and refusals of credentials are per app and environment. Finished jobs are deleted: their
-- story stands on the case.

create table queue.jobs (
  tenant_id bigint not null,
  job_id bigint generated always as identity,
  lane bigint not null,
  kind text not null,
  -- JSON of ids, never of Apple's or a tenant's text.
  subject text not null,
  state text not null default 'ready' check (state in ('ready', 'waiting', 'running', 'dead')),
  run_at timestamptz not null default tenants.now_ms(),
  deadline timestamptz not null,
  attempts int not null default 0,
  last_error text,
  worker bigint,
  claim bigint,
  lease_until timestamptz,
  unique_key text collate "C",
  primary key (tenant_id, job_id),
  unique (job_id),
  check ((state = 'running') = (lease_until is not null)))
  with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index jobs_ready on queue.jobs (lane, deadline, job_id) where state = 'ready';
create index jobs_urgent on queue.jobs (deadline, job_id) where state = 'ready';
create index jobs_waiting on queue.jobs (run_at) where state = 'waiting';
create index jobs_leased on queue.jobs (lease_until) where state = 'running';
create unique index jobs_once on queue.jobs (tenant_id, kind, unique_key) where unique_key is not null and state <> 'dead';

create table queue.lanes (
  tenant_id bigint not null,
  lane bigint not null unique,
  app_id bigint,
  environment text check (environment in ('Production', 'Sandbox')),
  paused_until timestamptz,
  why text,
  -- 20 ms is Apple's 50 calls a second; Sandbox has a tenth of it.
  call_spacing interval not null default '20 ms',
  free_at timestamptz not null default '-infinity',
  primary key (tenant_id, lane));

create table queue.workers (
  worker bigint generated always as identity primary key,
  host text not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp());

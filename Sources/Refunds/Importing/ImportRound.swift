import AppStore
package import Postgres
import Queue
package import Time

/// Begins to read the time before an app was added, some minutes after Apple first took its key: what waits for an
/// answer goes first. Rehearsals have no past.
package enum ImportRound {
    /// From the first reading of an app's history on.
    static let after: Duration = .minutes(10)

    /// Any number of times, by any process. House scope.
    ///
    /// - Returns: how many jobs were added: ring the bell after the commit.
    @discardableResult
    package static func keep(at now: Moment, in tx: Transaction) async throws -> Int {
        let (production, sandbox) = (Lane.records(app: 0, isSandbox: false), Lane.records(app: 0, isSandbox: true))
        try await tx.execute(
            """
            insert into refunds.imports
              (tenant_id, app_id, environment, state, begins_at, ends_at, live_from, started_at)
            select h.tenant_id, h.app_id, h.environment, 'running', x.begins_at, x.ends_at, h.began_at - x.window, \(now)
            from refunds.histories h
            join tenants.apps a on a.tenant_id = h.tenant_id and a.app_id = h.app_id
            join tenants.tenants t on t.tenant_id = h.tenant_id
            cross join lateral (
              select
                case when h.environment = 'Sandbox' then \(now - HistoryLimits.kept(in: .sandbox))
                     else \(now - HistoryLimits.kept(in: .production)) end as begins_at,
                coalesce(h.heard_at, \(now)) as ends_at,
                case when h.environment = 'Sandbox' then \(ReplyWindow.length(in: .sandbox))::interval
                     else \(ReplyWindow.length(in: .production))::interval end as window) x
            where a.removed_at is null and not a.rehearsal and t.closed_at is null and h.environment = any (a.environments)
              and h.began_at <= \(now - after) and x.begins_at < x.ends_at
              and exists (
                select from tenants.key_proofs p
                where p.tenant_id = h.tenant_id and p.app_id = h.app_id and p.environment = h.environment
                  and p.accepted_at is not null and p.refused_since is null)
              and not exists (
                select from refunds.imports i
                where i.tenant_id = h.tenant_id and i.app_id = h.app_id and i.environment = h.environment)
            on conflict do nothing
            """)
        return try await tx.execute(
            """
            with x as (
              select i.tenant_id, i.app_id, i.environment,
                i.app_id * 2 + case when i.environment = 'Sandbox' then \(sandbox) else \(production) end as lane
              from refunds.imports i
              join tenants.tenants t on t.tenant_id = i.tenant_id
              where i.state = 'running' and t.closed_at is null
                and not exists (
                  select from queue.jobs j
                  where j.tenant_id = i.tenant_id and j.kind = \(RefundJobs.Kind.importPast.rawValue)
                    and j.unique_key = i.app_id || ' ' || i.environment and j.state <> 'dead')),
            l as (
              insert into queue.lanes (tenant_id, lane, app_id, environment, call_spacing)
              select tenant_id, lane, app_id, environment,
                case when environment = 'Sandbox' then \(Lane.spacing(of: sandbox)) else \(Lane.spacing(of: production)) end
              from x
              on conflict do nothing)
            insert into queue.jobs (tenant_id, lane, kind, subject, run_at, deadline, unique_key)
            select tenant_id, lane, \(RefundJobs.Kind.importPast.rawValue),
              '{"app":' || app_id || ',"environment":"' || environment || '"}', \(now), \(now + .days(1)),
              app_id || ' ' || environment
            from x
            on conflict (tenant_id, kind, unique_key) where unique_key is not null and state <> 'dead' do nothing
            """)
    }
}

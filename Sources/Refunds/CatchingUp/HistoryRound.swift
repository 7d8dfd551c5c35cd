package import Postgres
package import Time

/// Sees to it that the notification history of every app that has a key is read, again and again.
///
/// Each reading asks for the next one; this begins with apps that are new, and begins again where a job was lost.
package enum HistoryRound {
    /// Between the first calls of two apps when all are read at once.
    private static let spacing: Duration = .milliseconds(20)

    /// Any number of times, by any process. House scope.
    ///
    /// - Parameter atOnce: after a start and after an outage: what is not being read is read now, and not when it is due.
    /// - Returns: how many jobs were added or brought forward: ring the bell after the commit.
    @discardableResult
    package static func keep(atOnce: Bool, at now: Moment, in tx: Transaction) async throws -> Int {
        try await tx.execute(
            """
            insert into refunds.histories (tenant_id, app_id, environment, began_at, due_at)
            select a.tenant_id, a.app_id, e.environment, \(now), \(now)
            from tenants.apps a
            join tenants.tenants t on t.tenant_id = a.tenant_id
            cross join unnest(a.environments) e(environment)
            where a.removed_at is null and t.closed_at is null
              and exists (
                select from tenants.signing_keys k
                where k.tenant_id = a.tenant_id and k.state = 'active'
                  and (k.app_id = a.app_id or (k.app_id is null and not a.rehearsal)))
              and not exists (
                select from refunds.histories h
                where h.tenant_id = a.tenant_id and h.app_id = a.app_id and h.environment = e.environment)
            on conflict do nothing
            """)
        let added = try await tx.execute(
            """
            insert into queue.jobs (tenant_id, lane, kind, subject, state, run_at, deadline, unique_key)
            select h.tenant_id, h.app_id * 2 + (h.environment = 'Sandbox')::int, \(RefundJobs.Kind.history.rawValue),
              '{"app":' || h.app_id || ',"environment":"' || h.environment || '"}', 'waiting', h.due_at,
              h.due_at + \(HistoryJob.readWithin), h.app_id || ' ' || h.environment
            from refunds.histories h
            join tenants.apps a on a.tenant_id = h.tenant_id and a.app_id = h.app_id
            join tenants.tenants t on t.tenant_id = h.tenant_id
            where a.removed_at is null and t.closed_at is null and h.environment = any (a.environments)
              and not exists (
                select from queue.jobs j
                where j.tenant_id = h.tenant_id and j.kind = \(RefundJobs.Kind.history.rawValue)
                  and j.unique_key = h.app_id || ' ' || h.environment and j.state <> 'dead')
            on conflict (tenant_id, kind, unique_key) where unique_key is not null and state <> 'dead' do nothing
            """)
        return added + (atOnce ? try await hurry(at: now, in: tx) : 0)
    }

    /// One app after the other, so that a start is no storm.
    private static func hurry(at now: Moment, in tx: Transaction) async throws -> Int {
        try await tx.execute(
            """
            update refunds.histories h
            set due_at = \(now)
            from (
              select tenant_id, app_id, environment
              from refunds.histories
              where sweep_to is null and due_at > \(now)
              order by tenant_id, app_id, environment
              for update skip locked) w
            where h.tenant_id = w.tenant_id and h.app_id = w.app_id and h.environment = w.environment
            """)
        return try await tx.execute(
            """
            update queue.jobs j
            set run_at = least(j.run_at, \(now) + w.n * \(spacing)::interval)
            from (
              select x.tenant_id, x.job_id, row_number() over (order by x.tenant_id, x.job_id) as n
              from (
                select q.tenant_id, q.job_id
                from queue.jobs q
                join refunds.histories h
                  on h.tenant_id = q.tenant_id and q.unique_key = h.app_id || ' ' || h.environment
                where q.kind = \(RefundJobs.Kind.history.rawValue) and q.state = 'waiting' and q.run_at > \(now)
                  and h.due_at <= \(now) and h.failures = 0
                for update of q skip locked) x) w
            where j.tenant_id = w.tenant_id and j.job_id = w.job_id
            """)
    }
}

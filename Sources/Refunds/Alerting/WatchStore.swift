import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of the round of looking, across tenants. House scope, but for the work's own figures.
enum WatchStore {
    /// Tenants of the slow walk that are looked at in one round: quiet ones too are looked at again and again.
    static let walk: Int64 = 25
    static let busyMax: Int64 = 2000

    /// One process makes a round, whichever comes first.
    ///
    /// - Returns: false where another one has begun within `spacing`.
    static func begin(spacing: Duration, in tx: Transaction) async throws -> Bool {
        try await tx.execute(
            """
            update refunds.watch
            set began_at = clock_timestamp()
            where began_at < clock_timestamp() - \(spacing)
            """) == 1
    }

    /// What is open, and whether people hear of it. House scope.
    static func standing(in tx: Transaction) async throws -> WatchStanding {
        let parts = try await tx.pipeline([
            """
            select rule, severity, count(*) as n
            from refunds.incidents
            where closed_at is null
            group by rule, severity
            order by rule, severity
            limit 200
            """,
            """
            select count(*) as n, coalesce(extract(epoch from clock_timestamp() - min(made_at)), 0)::int8 as oldest
            from (select made_at from refunds.notices where state = 'waiting' order by made_at limit 10000) x
            """,
            """
            select kind, count(*) filter (where off_at is not null) as off, count(*) filter (where off_at is null and failures >= 3) as failing,
              count(*) filter (where off_at is null and failures < 3) as working
            from refunds.channels
            where removed_at is null
            group by kind
            order by kind
            """,
            """
            select count(*) as n
            from (
              select 1
              from refunds.rounds r
              join refunds.cases c on c.tenant_id = r.tenant_id and c.case_id = r.case_id
              join tenants.apps a on a.tenant_id = c.tenant_id and a.app_id = c.app_id and not a.rehearsal
              where r.state = 'held'
              limit 100000) x
            """,
        ])
        var standing = WatchStanding()
        standing.held = try parts[3].first.map { Int(try $0("n") as Int64) } ?? 0
        standing.incidents = try parts[0].map { row in
            let n: Int64 = try row("n")
            return .init(rule: try row("rule"), severity: try row("severity"), count: Int(n))
        }
        if let row = parts[1].first {
            let (waiting, oldest): (Int64, Int64) = (try row("n"), try row("oldest"))
            (standing.noticesWaiting, standing.oldestNotice) = (Int(waiting), .seconds(oldest))
        }
        for row in parts[2] {
            let kind: String = try row("kind")
            for state in ["working", "failing", "off"] {
                let n: Int64 = try row(state)
                standing.channels.append(.init(kind: kind, state: state, count: Int(n)))
            }
        }
        return standing
    }

    static func end(in tx: Transaction) async throws {
        try await tx.execute("update refunds.watch set ended_at = clock_timestamp()")
    }

    /// Tenants with something going on, and the next ones of the slow walk.
    static func tenants(in tx: Transaction) async throws -> [TenantID] {
        let busy = try await tx.rows(
            """
            with recursive open_cases as (
              (select tenant_id from refunds.cases where state in ('open', 'held') order by tenant_id limit 1)
              union all
              select (select c.tenant_id from refunds.cases c
                      where c.state in ('open', 'held') and c.tenant_id > o.tenant_id order by c.tenant_id limit 1)
              from open_cases o
              where o.tenant_id is not null)
            select x.tenant_id
            from (
              select tenant_id from open_cases where tenant_id is not null
              union
              select tenant_id from refunds.incidents where closed_at is null
              union
              select tenant_id from refunds.incidents where closed_at > tenants.now_ms() - interval '10 minutes') x
            join tenants.tenants t using (tenant_id)
            where t.closed_at is null
            order by x.tenant_id
            limit \(busyMax)
            """)
        let walked = try await tx.rows(
            """
            with w as (select walked_to from refunds.watch),
              next as (
                select t.tenant_id
                from tenants.tenants t
                where t.tenant_id > (select walked_to from w) and t.closed_at is null and t.tenant_id <> 0
                order by t.tenant_id
                limit \(walk)),
              moved as (
                update refunds.watch
                set walked_to = case when (select count(*) from next) < \(walk) then 0
                  else (select max(tenant_id) from next) end)
            select tenant_id from next
            """)
        var seen: Set<TenantID> = []
        return try (busy + walked).compactMap { row in
            let tenant = TenantID(rawValue: try row("tenant_id"))
            return tenant != .installation && seen.insert(tenant).inserted ? tenant : nil
        }
    }

    /// Queue scope. What is ready and in a paused lane waits on purpose.
    static func work(in tx: Transaction) async throws -> WorkFacts {
        let row = try await tx.row(
            """
            select
              (select coalesce(extract(epoch from clock_timestamp() - min(r.run_at)), 0)::int8 from (
                 select j.run_at from queue.jobs j left join queue.lanes q using (lane)
                 where j.state = 'ready' and (q.paused_until is null or q.paused_until <= clock_timestamp())
                   and q.claim_max is null
                 order by j.deadline
                 limit 500) r) as oldest,
              (select count(*) from (select from queue.jobs where state = 'ready' limit 100000) x) as ready,
              (select count(*) from (
                 select from queue.jobs
                 where state = 'running' and lease_until < clock_timestamp() - interval '60 seconds' limit 1000) x) as stuck
            """)
        guard let row else { return WorkFacts() }
        let (oldest, ready, stuck): (Int64, Int64, Int64) = (try row("oldest"), try row("ready"), try row("stuck"))
        return WorkFacts(oldestReady: .seconds(oldest), ready: Int(ready), stuck: Int(stuck))
    }

    /// Notices that no worker has begun. Tenant scope.
    static func overdue(of tenant: TenantID, before: Moment, in tx: Transaction) async throws -> [UUID] {
        try await tx.rows(
            """
            select notice_id
            from refunds.notices
            where tenant_id = \(tenant.rawValue) and state = 'waiting' and attempts = 0 and made_at < \(before)
            order by made_at
            limit 20
            """
        ).map { try $0("notice_id") }
    }
}

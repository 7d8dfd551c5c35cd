import Postgres
import Tenants
import Time

/// Reads what `CommerceReadiness` is made of: one round trip, however many apps.
enum CommerceReadinessStore {
    /// Newest calls that are looked at for a refusal.
    private static let callsSeen = 100

    static func read(_ apps: [App], in tx: Transaction) async throws -> [AppID: CommerceReadiness] {
        let found = try await tx.pipeline([CommerceAccessStore.all(of: apps.map(\.id)), standings(of: apps.map(\.id))])
        var access: [AppID: [AppEnvironment: CommerceAccess]] = [:]
        for row in found[0] {
            let one = try CommerceAccess(row)
            access[one.app, default: [:]][one.environment] = one
        }
        var ready: [AppID: CommerceReadiness] = [:]
        for row in found[1] {
            let app = AppID(rawValue: try row("app_id"))
            let environment: AppEnvironment = try row.word("environment")
            guard apps.first(where: { $0.id == app })?.environments.contains(environment) == true else { continue }
            let known = access[app]?[environment]
            let isUsed: Bool = try row("is_used")
            guard isUsed || known != nil else { continue }
            ready[app, default: CommerceReadiness(app: app)].lines.append(
                CommerceReadiness.Line(
                    environment: environment, access: known ?? CommerceAccess(app: app, environment: environment),
                    waiting: try row("waiting"), refusedAt: try row("refused_at")))
        }
        return ready
    }

    private static func standings(of apps: [AppID]) -> SQL {
        """
        select a.app_id, e.environment,
          exists (select from refunds.commerce_attempts t where t.app_id = a.app_id and t.environment = e.environment)
            or exists (select from refunds.commerce_sales s where s.app_id = a.app_id and s.environment = e.environment)
            or w.waiting > 0 as is_used,
          w.waiting, c.refused_at
        from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
        cross join unnest(array['Production', 'Sandbox']) e(environment)
        cross join lateral (
          select count(*) as waiting
          from refunds.commerce_requests r
          where r.app_id = a.app_id and r.environment = e.environment and r.state in ('queued', 'sending')) w
        cross join lateral (
          select max(t.started_at) filter (where t.result in ('refused', 'doubted')) as refused_at
          from (
            select t.started_at, t.result
            from refunds.commerce_attempts t
            where t.app_id = a.app_id and t.environment = e.environment
            order by t.started_at desc
            limit \(callsSeen)) t) c
        order by a.app_id, e.environment
        limit 2000
        """
    }
}

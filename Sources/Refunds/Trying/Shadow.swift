import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// A draft that runs beside the policy that decides: its answers are kept, and never sent.
package struct Shadow: Sendable, Hashable {
    /// From 1, for each app.
    package let number: Int
    package let text: String
    package let startedBy: PersonID?
    package let startedAt: Moment
    /// Nil: it runs.
    package let stoppedAt: Moment?
    /// The version that was made of it.
    package let promoted: Int?
}

extension Shadow {
    init(_ row: Row) throws {
        let (number, promoted): (Int32, Int32?) = (try row("shadow_no"), try row("promoted"))
        let startedBy: UUID? = try row("started_by")
        self.init(
            number: Int(number), text: try row("rules"), startedBy: startedBy.map(PersonID.init),
            startedAt: try row("started_at"), stoppedAt: try row("stopped_at"), promoted: promoted.map { Int($0) })
    }
}

/// The SQL of drafts that run beside.
enum ShadowStore {
    private static let columns: SQL = "shadow_no, rules, started_by, started_at, stopped_at, promoted"

    /// At most one row.
    static func running(of app: AppID, tenant: TenantID) -> SQL {
        """
        select \(columns)
        from refunds.shadows
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and stopped_at is null
        """
    }

    /// The one that was started last; at most one row.
    static func newest(of app: App) -> SQL {
        """
        select \(columns)
        from refunds.shadows
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by shadow_no desc
        limit 1
        """
    }

    static func start(_ text: String, number: Int, of app: App, by person: PersonID, at now: Moment) -> SQL {
        """
        insert into refunds.shadows (tenant_id, app_id, shadow_no, rules, started_by, started_at)
        values (\(app.tenant.rawValue), \(app.id.rawValue), \(Int32(number)), \(text), \(person.rawValue), \(now))
        """
    }

    static func stop(_ number: Int, promoted: Int?, of app: App, by person: PersonID, at now: Moment) -> SQL {
        """
        update refunds.shadows
        set stopped_at = \(now), stopped_by = \(person.rawValue), promoted = \(promoted.map { Int32($0) })
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and shadow_no = \(Int32(number))
          and stopped_at is null
        """
    }
}

import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// One version of an app's policy, as it was written.
package struct PolicyVersion: Sendable, Hashable {
    /// From 1.
    package let number: Int
    package let text: String
    package let note: String
    /// Nil where a command did it.
    package let author: PersonID?
    package let madeAt: Moment
}

/// The SQL of policies. Versions are only ever added; the newest one decides.
enum PolicyStore {
    /// Versions that a page lists.
    static let versionsMax = 100

    /// The version that decides; at most one row.
    static func newest(of app: AppID, tenant: TenantID) -> SQL {
        """
        select version, rules, note, author, made_at
        from refunds.policies
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
        order by version desc
        limit 1
        """
    }

    static func versions(of app: App) -> SQL {
        """
        select version, rules, note, author, made_at
        from refunds.policies
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by version desc
        limit \(versionsMax)
        """
    }

    static func add(
        _ text: String, note: String, by author: PersonID?, version: Int, of app: App, at now: Moment
    ) -> SQL {
        """
        insert into refunds.policies (tenant_id, app_id, version, rules, note, author, made_at)
        values (\(app.tenant.rawValue), \(app.id.rawValue), \(Int32(version)), \(text), \(note), \(author?.rawValue), \(now))
        """
    }
}

extension PolicyVersion {
    init(_ row: Row) throws {
        let number: Int32 = try row("version")
        let author: UUID? = try row("author")
        self.init(
            number: Int(number), text: try row("rules"), note: try row("note"), author: author.map(PersonID.init),
            madeAt: try row("made_at"))
    }
}

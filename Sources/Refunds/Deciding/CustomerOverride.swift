import AppStore
package import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// An answer that somebody fixed for one customer: it goes before every rule, and behind consent.
package struct CustomerOverride: Sendable, Hashable, Identifiable {
    package enum Action: String, Sendable, Hashable, CaseIterable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
        case factsOnly = "facts-only"
        case nothing
        /// A person is asked; the facts go out if nobody answers.
        case hold

        package var action: PolicyAction {
            switch self {
            case .decline: .prefer(.decline)
            case .grantFull: .prefer(.grantFull)
            case .grantProrated: .prefer(.grantProrated)
            case .factsOnly: .factsOnly
            case .nothing: .withhold(.policy)
            case .hold: .hold(otherwise: .factsOnly)
            }
        }
    }

    package let id: UUID
    /// `appAccountToken`, as it is stored.
    package let customer: String
    package let action: Action
    package let reason: String
    /// Nil: the tenant's own server, for somebody.
    package let author: PersonID?
    /// The API token that it came by.
    package let token: UUID?
    /// The author's name as it was then.
    package let authorName: String
    package let madeAt: Moment
    /// From then on it counts no more; nil: for ever.
    package let until: Moment?

    package init(
        id: UUID, customer: String, action: Action, reason: String, author: PersonID?, token: UUID? = nil,
        authorName: String, madeAt: Moment, until: Moment?
    ) {
        self.id = id
        self.customer = customer
        self.action = action
        self.reason = reason
        self.author = author
        self.token = token
        self.authorName = authorName
        self.madeAt = madeAt
        self.until = until
    }

    package func counts(at now: Moment) -> Bool { until.map { now < $0 } ?? true }
}

/// The SQL of overrides.
enum OverrideStore {
    private static let columns: SQL =
        "override_id, customer, action, reason, author, token_id, author_name, made_at, until"

    /// At most one row; none for purchases that name no customer.
    static func find(_ customer: String?, of app: AppID, tenant: TenantID) -> SQL {
        """
        select \(columns)
        from refunds.overrides
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and customer = \(customer ?? "")
        """
    }

    /// Newest first.
    static func list(of app: App, after: ListCursor? = nil, limit: Int) -> SQL {
        let behind: SQL = after.map { "and (made_at, override_id) < (\($0.at), \($0.id))" } ?? ""
        return """
            select \(columns)
            from refunds.overrides
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) \(behind)
            order by made_at desc, override_id desc
            limit \(limit)
            """
    }

    /// Touches no row where another stands there than the one it is based on, or, based on none, any.
    static func set(_ override: CustomerOverride, of app: App, basedOn: UUID?) -> SQL {
        if let basedOn {
            return """
                update refunds.overrides
                set override_id = \(override.id), action = \(override.action.rawValue), reason = \(override.reason),
                  author = \(override.author?.rawValue), token_id = \(override.token),
                  author_name = \(override.authorName), made_at = \(override.madeAt), until = \(override.until)
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                  and customer = \(override.customer) and override_id = \(basedOn)
                """
        }
        return """
            insert into refunds.overrides
              (tenant_id, app_id, customer, override_id, action, reason, author, token_id, author_name, made_at, until)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(override.customer), \(override.id),
              \(override.action.rawValue), \(override.reason), \(override.author?.rawValue), \(override.token),
              \(override.authorName), \(override.madeAt), \(override.until))
            on conflict (tenant_id, app_id, customer) do nothing
            """
    }

    static func remove(_ id: UUID, of app: App) -> SQL {
        """
        delete from refunds.overrides
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and override_id = \(id)
        """
    }
}

extension CustomerOverride {
    /// Nil for an action that only a newer release knows.
    init?(_ row: Row) throws {
        let action: String = try row("action")
        guard let action = Action(rawValue: action) else { return nil }
        let author: UUID? = try row("author")
        self.init(
            id: try row("override_id"), customer: try row("customer"), action: action, reason: try row("reason"),
            author: author.map(PersonID.init), token: try row("token_id"), authorName: try row("author_name"),
            madeAt: try row("made_at"), until: try row("until"))
    }
}

package import FoundationEssentials
package import Postgres
package import Tenants
package import Time

/// What pages and the API read: cases, notifications, refusals, the state of the desk.
///
/// Every function names the tenant and runs under the role that sees only that tenant's rows; what
/// is another's is as absent as what never was. Nothing here changes anything.
package final class Records: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Runs a reading inside one transaction of a tenant, which sees one moment of the database.
    func read<R: Sendable>(_ tenant: TenantID, _ body: (Transaction) async throws -> R) async throws -> R {
        try await database.transaction(.tenant(tenant.rawValue), isolation: .readOnly, body)
    }

    // MARK: Cases

    /// How many cases a file of them reads at once.
    package static let exportRows = 500

    /// Cases of the named apps, newest first.
    ///
    /// - Parameter limit: 1…500.
    package func cases(
        of tenant: TenantID, apps: [AppID], filter: CaseFilter = CaseFilter(), after: ListCursor? = nil,
        limit: Int = 50
    ) async throws -> CasePage {
        try await read(tenant) { tx in
            try await CaseQueries.list(of: tenant, apps: apps, filter: filter, after: after, limit: limit, in: tx)
        }
    }

    /// The same with requests and replies, for the API: one app's cases as JSON, with the next page's cursor.
    package func casesJSON(
        of tenant: TenantID, app: App, filter: CaseFilter = CaseFilter(), after: ListCursor? = nil, limit: Int = 50
    ) async throws -> [UInt8] {
        try await read(tenant) { tx in
            let page = try await CaseQueries.list(
                of: tenant, apps: [app.id], filter: filter, after: after, limit: limit, in: tx)
            return CaseJSON.list(try await CaseQueries.stories(of: page, app: app, in: tx), next: page.next)
        }
    }

    /// The whole case with its timeline as JSON; nil where the tenant has none of this id.
    ///
    /// - Parameter app: set for tokens that reach one app only; another app's case is as absent.
    package func caseJSON(of tenant: TenantID, case id: UUID, app: AppID? = nil) async throws -> [UInt8]? {
        guard let story = try await story(of: tenant, case: id), app == nil || story.line.app == app else { return nil }
        return CaseJSON.whole(story)
    }

    /// Everything about one case; nil where the tenant has none of this id.
    package func story(of tenant: TenantID, case id: UUID) async throws -> CaseStory? {
        try await read(tenant) { tx in try await CaseQueries.story(of: tenant, case: id, in: tx) }
    }

    /// Cases and notifications that a text names: a transaction, an original transaction, an
    /// `appAccountToken` or a `notificationUUID`.
    package func lookUp(_ text: String, of tenant: TenantID) async throws -> LookUp {
        try await read(tenant) { tx in
            let apps = try await TenantStore.apps(of: tenant, includingRemoved: true, in: tx).map(\.id)
            return try await LookUpQueries.find(text, of: tenant, apps: apps, in: tx)
        }
    }

    // MARK: What arrived

    /// Notifications of the named apps, newest first.
    package func notifications(
        of tenant: TenantID, apps: [AppID], isSandbox: Bool? = nil, after: ListCursor? = nil, limit: Int = 50
    ) async throws -> NotificationPage {
        try await read(tenant) { tx in
            try await NotificationQueries.list(
                of: tenant, apps: apps, isSandbox: isSandbox, after: after, limit: limit, in: tx)
        }
    }

    /// One notification with what it says; nil where the tenant has none of this id.
    package func notification(of tenant: TenantID, id: UUID) async throws -> NotificationStory? {
        try await read(tenant) { tx in
            let apps = try await TenantStore.apps(of: tenant, includingRemoved: true, in: tx).map(\.id)
            return try await NotificationQueries.story(of: tenant, apps: apps, id: id, in: tx)
        }
    }

    /// Refused deliveries of the named apps, newest first.
    package func refusals(
        of tenant: TenantID, apps: [AppID], after: RefusalCursor? = nil, limit: Int = 50
    ) async throws -> RefusalPage {
        try await read(tenant) { tx in
            try await RefusalQueries.list(of: tenant, apps: apps, after: after, limit: limit, in: tx)
        }
    }

    /// How often each reason occurred since a moment, most frequent first.
    package func refusalCounts(of tenant: TenantID, apps: [AppID], since: Moment) async throws -> [RefusalCount] {
        try await read(tenant) { tx in try await RefusalQueries.counts(of: tenant, apps: apps, since: since, in: tx) }
    }

    // MARK: How it stands

    /// The tenant's apps in the order of their bundle IDs, removed ones among them: their cases stay.
    package func apps(of tenant: TenantID) async throws -> [App] {
        try await read(tenant) { tx in try await TenantStore.apps(of: tenant, includingRemoved: true, in: tx) }
    }

    /// The tenant's apps with their addresses and keys.
    package func appStandings(of tenant: TenantID, at now: Moment) async throws -> [AppStanding] {
        try await read(tenant) { tx in try await OverviewQueries.apps(of: tenant, at: now, in: tx) }
    }

    /// The state of the tenant's desk.
    package func overview(of tenant: TenantID, at now: Moment) async throws -> Overview {
        try await read(tenant) { tx in try await OverviewQueries.overview(of: tenant, at: now, in: tx) }
    }

    /// Whether an error says that the database is away or slow just now: worth trying again.
    package static func isPassingTrouble(_ error: any Error) -> Bool {
        (error as? PostgresError)?.isRetryable ?? false
    }
}

package import FoundationEssentials
import Postgres
package import Tenants
package import Time

extension Records {
    // MARK: Commerce requests

    /// Requests of the named apps, newest first.
    ///
    /// - Parameter limit: 1…100.
    package func commerceRequests(
        of tenant: TenantID, apps: [AppID], filter: CommerceFilter = CommerceFilter(), after: ListCursor? = nil,
        limit: Int = 50
    ) async throws -> CommercePage {
        try await read(tenant) { tx in
            try await CommerceQueries.list(
                of: tenant, apps: apps, filter: filter, after: after, limit: limit, in: tx)
        }
    }

    /// Nil where the tenant has none of this id, or the token reaches another app only.
    package func commerceRequest(of tenant: TenantID, id: UUID, app: AppID? = nil) async throws -> CommerceRequest? {
        let found = try await read(tenant) { tx in
            try await CommerceStore.read(
                of: tenant, where: "r.request_id = \(id)", order: "r.request_id", limit: 1, in: tx
            ).first
        }
        return found.flatMap { app == nil || $0.app == app ? $0 : nil }
    }

    /// The requests about a case's purchase, newest first; at most 20.
    package func commerceRequests(of tenant: TenantID, case id: UUID) async throws -> [CommerceRequest] {
        try await read(tenant) { tx in
            let row = try await tx.row(
                """
                select app_id, environment, transaction_id, original_transaction_id
                from refunds.cases
                where tenant_id = \(tenant.rawValue) and case_id = \(id)
                """)
            guard let row else { return [] }
            let app: Int64 = try row("app_id")
            let environment: String = try row("environment")
            let transaction: String = try row("transaction_id")
            let original: String = try row("original_transaction_id")
            return try await CommerceStore.read(
                of: tenant,
                where: """
                    r.app_id = \(app) and r.environment = \(environment)
                      and (r.transaction_id = \(transaction)
                        or (r.original_transaction_id = \(original) and r.kind <> 'refund'))
                    """, order: "r.listed_at desc, r.request_id desc", limit: 20, in: tx)
        }
    }

    /// What stands between the app and Advanced Commerce, Production first; only environments that the app has.
    package func commerceAccess(of app: App) async throws -> [CommerceAccess] {
        let found = try await read(app.tenant) { tx in try await CommerceAccessStore.read(of: app, in: tx) }
        return AppEnvironment.allCases.filter(app.environments.contains).map {
            found[$0] ?? CommerceAccess(app: app.id, environment: $0)
        }
    }

    /// Approval, addendum and queue of an app in one value, for its set-up page and lists.
    package func commerceReadiness(of app: App) async throws -> CommerceReadiness {
        try await read(app.tenant) { tx in
            try await CommerceReadinessStore.read([app], in: tx)[app.id] ?? CommerceReadiness(app: app.id)
        }
    }

    package func commerceChecklist(of app: App) async throws -> CommerceChecklist {
        try await read(app.tenant) { tx in try await CommerceQueries.checklist(of: app, in: tx) }
    }

    /// How the queues of an app stand at a moment.
    package func commerceQueues(of app: App, at now: Moment) async throws -> [CommerceQueue] {
        try await read(app.tenant) { tx in try await Self.queues(of: app, now, tx) }
    }

    /// Milliunits by currency.
    package func approvalLimits(of app: App) async throws -> [String: Int64] {
        try await read(app.tenant) { tx in try await CommerceQueries.limits(of: app, in: tx) }
    }

    package func skuCosts(of app: App) async throws -> [SKUCost] {
        try await read(app.tenant) { tx in try await CommerceQueries.costs(of: app, in: tx) }
    }

    /// The same for every app in use that has to do with Advanced Commerce, in the order of their bundle IDs: what
    /// somebody may have to be told.
    package func commerceReadiness(of tenant: TenantID) async throws -> [CommerceReadiness] {
        try await read(tenant) { tx in
            let apps = try await TenantStore.apps(of: tenant, in: tx)
            let found = try await CommerceReadinessStore.read(apps, in: tx)
            return apps.compactMap { found[$0.id] }
        }
    }

    /// A list of requests as JSON, for the API.
    package func commerceJSON(
        of app: App, filter: CommerceFilter, after: ListCursor?, limit: Int
    ) async throws -> [UInt8] {
        CommerceJSON.list(
            try await commerceRequests(of: app.tenant, apps: [app.id], filter: filter, after: after, limit: limit),
            bundleID: app.bundleID)
    }

    /// One request as JSON; nil where the tenant has none of this id.
    package func commerceJSON(of tenant: TenantID, request id: UUID, app: AppID?) async throws -> [UInt8]? {
        guard let request = try await commerceRequest(of: tenant, id: id, app: app) else { return nil }
        let owner = try await apps(of: tenant).first { $0.id == request.app }
        return CommerceJSON.whole(request, bundleID: owner?.bundleID ?? "")
    }
}

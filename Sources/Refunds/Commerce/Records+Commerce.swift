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

    package func commerceChecklist(of app: App) async throws -> CommerceChecklist {
        try await read(app.tenant) { tx in try await CommerceQueries.checklist(of: app, in: tx) }
    }

    /// How the queues of an app stand at a moment.
    package func commerceQueues(of app: App, at now: Moment) async throws -> [CommerceQueue] {
        try await read(app.tenant) { tx in
            let access = try await CommerceAccessStore.read(of: app, in: tx)
            var queues: [CommerceQueue] = []
            for environment in AppEnvironment.allCases where app.environments.contains(environment) {
                queues.append(
                    try await CommerceQueries.queue(
                        of: app, environment: environment, stoppedAt: access[environment]?.stoppedAt, at: now, in: tx))
            }
            return queues
        }
    }

    /// Milliunits by currency.
    package func approvalLimits(of app: App) async throws -> [String: Int64] {
        try await read(app.tenant) { tx in try await CommerceQueries.limits(of: app, in: tx) }
    }

    package func skuCosts(of app: App) async throws -> [SKUCost] {
        try await read(app.tenant) { tx in try await CommerceQueries.costs(of: app, in: tx) }
    }

    /// What was asked and sold, month by month, newest first.
    package func commerceRegister(
        of tenant: TenantID, apps: [AppID], from: Moment, to: Moment
    ) async throws -> [CommerceRegisterLine] {
        try await read(tenant) { tx in
            try await CommerceQueries.register(of: tenant, apps: apps, from: from, to: to, in: tx)
        }
    }

    /// The register's requests as CSV, newest first, a page at a time: first with the line of names.
    package func commerceCSV(
        of tenant: TenantID, apps: [AppID], after: ListCursor? = nil, limit: Int = 100
    ) async throws -> (rows: String, next: ListCursor?) {
        let page = try await commerceRequests(of: tenant, apps: apps, after: after, limit: limit)
        let rows = page.requests.flatMap(CommerceCSV.rows).joined()
        return (after == nil ? CommerceCSV.names + rows : rows, page.next)
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

package import FoundationEssentials
import Postgres
package import Tenants
package import Time

extension Records {
    /// Everything about one request; nil where the tenant has none of this id.
    package func commerceStory(of tenant: TenantID, id: UUID) async throws -> CommerceStory? {
        try await read(tenant) { tx in
            guard
                let request = try await CommerceStore.read(
                    of: tenant, where: "r.request_id = \(id)", order: "r.request_id", limit: 1, in: tx
                ).first,
                let app = try await TenantStore.apps(of: tenant, includingRemoved: true, in: tx)
                    .first(where: { $0.id == request.app })
            else { return nil }
            let purchase = try await CommercePurchases.find(
                request.transactionID, environment: request.environment, app: app, in: tx)
            let access = try await CommerceAccessStore.read(of: app, environment: request.environment, in: tx)
            var needsNobody = false
            if request.state == .awaitingApproval {
                needsNobody = try await !CommerceDesk.stillNeedsApproval(request, app, in: tx)
            }
            return CommerceStory(
                request: request, facts: try await CommerceStore.facts(of: id, tenant: tenant, in: tx).sorted(),
                turn: request.state == .queued ? try await turn(of: request, in: tx) : nil,
                needsNobody: needsNobody, stoppedAt: access.stoppedAt, currency: request.currency ?? purchase?.currency,
                names: Dictionary(
                    (purchase?.items ?? []).compactMap { item in item.displayName.map { (item.sku, $0) } },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private func turn(of request: CommerceRequest, in tx: Transaction) async throws -> CommerceStory.Turn? {
        let row = try await tx.row(
            """
            select count(*) filter (where (submitted_at, request_id) <= (\(request.submittedAt), \(request.id))) as place,
              count(*) as depth
            from refunds.commerce_requests
            where tenant_id = \(request.tenant.rawValue) and app_id = \(request.app.rawValue)
              and environment = \(request.environment.rawValue) and state in ('queued', 'sending')
            """)
        return try row.map { CommerceStory.Turn(place: try $0("place"), depth: try $0("depth")) }
    }

    /// What we hold of a purchase; nil where Apple would have to be asked.
    package func commercePurchase(
        of app: App, environment: AppEnvironment, transactionID: String
    ) async throws -> CommercePurchase? {
        try await read(app.tenant) { tx in
            try await CommercePurchases.find(transactionID, environment: environment, app: app, in: tx)
        }
    }

    /// How the queues of those apps stand that ever had a request, or whose calls Apple refused; at most 50 apps.
    package func commerceQueues(of tenant: TenantID, apps: [App], at now: Moment) async throws -> [CommerceQueue] {
        try await read(tenant) { tx in
            let rows = try await tx.rows(
                """
                select a.app_id
                from unnest(\(apps.map(\.id.rawValue))::bigint[]) a (app_id)
                where exists (select from refunds.commerce_requests r
                              where r.tenant_id = \(tenant.rawValue) and r.app_id = a.app_id)
                  or exists (select from refunds.commerce_access s
                             where s.tenant_id = \(tenant.rawValue) and s.app_id = a.app_id)
                order by a.app_id
                limit 50
                """)
            let used: Set<Int64> = Set(try rows.map { try $0("app_id") })
            var queues: [CommerceQueue] = []
            for app in apps where used.contains(app.id.rawValue) { queues += try await Self.queues(of: app, now, tx) }
            return queues
        }
    }

    /// Production first.
    static func queues(of app: App, _ now: Moment, _ tx: Transaction) async throws -> [CommerceQueue] {
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

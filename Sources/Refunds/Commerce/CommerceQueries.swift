import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL that reads commerce requests and what belongs to them, for pages and the API.
enum CommerceQueries {
    static func list(
        of tenant: TenantID, apps: [AppID], filter: CommerceFilter, after: ListCursor?, limit: Int, in tx: Transaction
    ) async throws -> CommercePage {
        let limit = min(max(limit, 1), 100)
        let ids: [UUID] = try await tx.rows(
            page(apps: apps, filter: filter, after: after ?? .newest, limit: limit + 1)
        ).map { try $0("request_id") }
        let found = try await CommerceStore.read(
            of: tenant, where: "r.request_id = any(\(Array(ids.prefix(limit))))",
            order: "r.listed_at desc, r.request_id desc", limit: limit, in: tx)
        return CommercePage(
            requests: found, next: ids.count > limit ? found.last.map { ListCursor(at: $0.listedAt, id: $0.id) } : nil)
    }

    /// The statement behind `list`: for each app, and for each facet where there is a filter, the newest few by
    /// index, merged.
    static func page(apps: [AppID], filter: CommerceFilter, after: ListCursor, limit: Int) -> SQL {
        let facets = CommerceFacet.allowed(by: filter)
        var source: SQL = "unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)"
        var conditions: [SQL] = ["r.app_id = a.app_id"]
        if let transaction = filter.transactionID {
            conditions.append(
                "(r.transaction_id = \(transaction) or r.original_transaction_id = \(transaction))")
            // A purchase has few requests.
            if let facets { conditions.append("r.facet = any(\(facets)::int2[])") }
        } else if let facets {
            source = "\(source) cross join unnest(\(facets)::int2[]) f(facet)"
            conditions.append("r.facet = f.facet")
        }
        return """
            select h.request_id
            from \(source)
            cross join lateral (
              select r.request_id, r.listed_at
              from refunds.commerce_requests r
              where \(SQL.joined(conditions, by: " and "))
                and (r.listed_at, r.request_id) < (\(after.at)::timestamptz, \(after.id)::uuid)
              order by r.listed_at desc, r.request_id desc
              limit \(limit)) h
            order by h.listed_at desc, h.request_id desc
            limit \(limit)
            """
    }

    static func limits(of app: App, in tx: Transaction) async throws -> [String: Int64] {
        let rows = try await tx.rows(
            """
            select currency, milliunits
            from refunds.approval_limits
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by currency
            limit 500
            """)
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0("currency") as String, try $0("milliunits")) })
    }

    static func costs(of app: App, in tx: Transaction) async throws -> [SKUCost] {
        try await tx.rows(
            """
            select sku, kind, milliunits, currency, note, basis
            from refunds.sku_costs
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by sku, kind
            limit 5000
            """
        ).compactMap { try SKUCost($0) }
    }

    static func checklist(of app: App, in tx: Transaction) async throws -> CommerceChecklist {
        let row = try await tx.row(
            """
            select (select refund_path from refunds.commerce_checklists
                    where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)) as refund_path,
              (select approvals_owner from refunds.commerce_checklists
               where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)) as approvals_owner,
              exists (select from tenants.signing_keys
                      where tenant_id = \(app.tenant.rawValue) and state = 'active'
                        and (app_id is null or app_id = \(app.id.rawValue))) as has_key,
              exists (select from refunds.consents
                      where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)) as has_consent
            """)
        guard let row else { return CommerceChecklist() }
        let owner: UUID? = try row("approvals_owner")
        let hasKey: Bool = try row("has_key")
        let hasConsent: Bool = try row("has_consent")
        var isDeclared = false
        if case .allFrom = app.consent { isDeclared = true }
        return CommerceChecklist(
            refundPath: try row("refund_path"), approvalsOwner: owner.map(PersonID.init),
            canReply: hasKey && (hasConsent || isDeclared))
    }

    static func queue(
        of app: App, environment: AppEnvironment, stoppedAt: Moment?, at now: Moment, in tx: Transaction
    ) async throws -> CommerceQueue {
        let isSandbox = environment == .sandbox
        let lane = Lane.commerce(app: app.id.rawValue, isSandbox: isSandbox)
        let mine: SQL = """
            tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
              and environment = \(environment.rawValue)
            """
        let row = try await tx.row(
            """
            select (select count(*) from refunds.commerce_requests
                    where \(mine) and state in ('queued', 'sending')) as depth,
              (select min(submitted_at) from refunds.commerce_requests
               where \(mine) and state in ('queued', 'sending')) as oldest_at,
              (select count(*) from refunds.commerce_attempts
               where \(mine) and started_at > clock_timestamp() - interval '1 hour'
                 and started_at <= clock_timestamp()) as calls,
              (select paused_until from queue.lanes where lane = \(lane)) as paused_until,
              (select why from queue.lanes where lane = \(lane)) as why
            """)
        let paused: Moment? = try row.flatMap { try $0("paused_until") }
        // A rest between two calls is no pause.
        let isPaused = paused.map { $0 > now + .seconds(3) } ?? false
        return CommerceQueue(
            app: app.id, environment: environment, depth: try row?("depth") ?? 0,
            oldestAt: try row.flatMap { try $0("oldest_at") }, callsInLastHour: try row?("calls") ?? 0,
            callsPerHour: isSandbox ? 1800 : 18000, pausedUntil: isPaused && stoppedAt == nil ? paused : nil,
            why: isPaused ? try row.flatMap { try $0("why") } : nil, stoppedAt: stoppedAt)
    }
}

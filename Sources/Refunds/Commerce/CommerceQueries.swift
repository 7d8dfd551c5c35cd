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
        var condition: SQL = "r.app_id = any(\(apps.map(\.rawValue)))"
        if !filter.states.isEmpty {
            condition = "\(condition) and r.state = any(\(filter.states.map(\.rawValue).sorted()))"
        }
        if let kind = filter.kind { condition = "\(condition) and r.kind = \(kind.rawValue)" }
        if let environment = filter.environment {
            condition = "\(condition) and r.environment = \(environment.rawValue)"
        }
        if let transaction = filter.transactionID {
            condition =
                "\(condition) and (r.transaction_id = \(transaction) or r.original_transaction_id = \(transaction))"
        }
        if let after {
            condition = "\(condition) and (r.listed_at, r.request_id) < (\(after.at), \(after.id))"
        }
        var found = try await CommerceStore.read(
            of: tenant, where: condition, order: "r.listed_at desc, r.request_id desc", limit: limit + 1, in: tx)
        let hasMore = found.count > limit
        if hasMore { found.removeLast() }
        return CommercePage(
            requests: found, next: hasMore ? found.last.map { ListCursor(at: $0.listedAt, id: $0.id) } : nil)
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
            select sku, kind, milliunits, currency, note
            from refunds.sku_costs
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by sku, kind
            limit 5000
            """
        ).compactMap { row in
            let kind: String = try row("kind")
            guard let kind = SKUCost.Kind(rawValue: kind) else { return nil }
            return SKUCost(
                sku: try row("sku"), kind: kind, milliunits: try row("milliunits"), currency: try row("currency"),
                note: try row("note"))
        }
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

    // MARK: the register

    static func register(
        of tenant: TenantID, apps: [AppID], from: Moment, to: Moment, in tx: Transaction
    ) async throws -> [CommerceRegisterLine] {
        let ids = apps.map(\.rawValue)
        let asked = try await tx.rows(
            """
            select r.app_id, r.environment, to_char(r.asked_at at time zone 'UTC', 'YYYY-MM') as month,
              coalesce(i.sku, r.product_id) as sku, coalesce(i.refund_reason, r.refund_reason) as reason,
              count(*) as asked,
              count(*) filter (where case when i.sku is null then r.state = 'refunded'
                                          else i.refunded_at is not null end) as refunded,
              count(*) filter (where r.state = 'declined') as declined,
              count(*) filter (where r.state = 'failed') as failed
            from refunds.commerce_requests r
            left join refunds.commerce_items i on i.tenant_id = r.tenant_id and i.request_id = r.request_id
            where r.tenant_id = \(tenant.rawValue) and r.app_id = any(\(ids)) and r.kind <> 'cancel'
              and r.state not in ('draft', 'cancelled') and r.asked_at >= \(from) and r.asked_at < \(to)
            group by 1, 2, 3, 4, 5
            order by 3 desc, 1, 2, 4, 5
            limit 5000
            """)
        let amounts = try await tx.rows(
            """
            select r.app_id, r.environment, to_char(r.asked_at at time zone 'UTC', 'YYYY-MM') as month, i.sku,
              i.refund_reason as reason, coalesce(r.currency, t.currency, '') as currency,
              sum(i.refunded_amount)::bigint as amount
            from refunds.commerce_requests r
            join refunds.commerce_items i on i.tenant_id = r.tenant_id and i.request_id = r.request_id
            left join refunds.transactions t on t.tenant_id = r.tenant_id and t.app_id = r.app_id
              and t.environment = r.environment and t.transaction_id = r.transaction_id
            where r.tenant_id = \(tenant.rawValue) and r.app_id = any(\(ids)) and i.refunded_amount is not null
              and r.asked_at >= \(from) and r.asked_at < \(to)
            group by 1, 2, 3, 4, 5, 6
            order by 3 desc, 1, 2, 4, 5, 6
            limit 5000
            """)
        let sold = try await tx.rows(
            """
            select app_id, environment, to_char(sold_at at time zone 'UTC', 'YYYY-MM') as month, sku, count(*) as sold
            from refunds.commerce_sales
            where tenant_id = \(tenant.rawValue) and app_id = any(\(ids)) and sold_at >= \(from) and sold_at < \(to)
            group by 1, 2, 3, 4
            order by 3 desc, 1, 2, 4
            limit 5000
            """)
        var sales: [RegisterKey: Int] = [:]
        for row in sold { sales[try RegisterKey(row, reason: nil)] = try row("sold") }
        var back: [RegisterKey: [String: Int64]] = [:]
        for row in amounts {
            let currency: String = try row("currency")
            back[try RegisterKey(row, reason: try row("reason")), default: [:]][currency] = try row("amount")
        }
        var lines: [CommerceRegisterLine] = []
        var spoken: Set<RegisterKey> = []
        for row in asked {
            let key = try RegisterKey(row, reason: try row("reason"))
            let whole = key.without
            spoken.insert(whole)
            lines.append(
                try key.line(
                    asked: row("asked"), refunded: row("refunded"), declined: row("declined"), failed: row("failed"),
                    amounts: back[key] ?? [:], sold: sales[whole] ?? 0))
        }
        for (key, sold) in sales where !spoken.contains(key) {
            lines.append(try key.line(asked: 0, refunded: 0, declined: 0, failed: 0, amounts: [:], sold: sold))
        }
        return lines.sorted {
            ($1.month, $0.app.rawValue, $0.environment.rawValue, $0.sku, $0.reason?.rawValue ?? "")
                < ($0.month, $1.app.rawValue, $1.environment.rawValue, $1.sku, $1.reason?.rawValue ?? "")
        }
    }

    private struct RegisterKey: Hashable {
        let app: Int64
        let environment: String
        let month: String
        let sku: String
        let reason: String?

        init(_ row: Row, reason: String?) throws {
            self.init(
                app: try row("app_id"), environment: try row("environment"), month: try row("month"),
                sku: try row("sku"), reason: reason)
        }

        private init(app: Int64, environment: String, month: String, sku: String, reason: String?) {
            self.app = app
            self.environment = environment
            self.month = month
            self.sku = sku
            self.reason = reason
        }

        var without: RegisterKey {
            RegisterKey(app: app, environment: environment, month: month, sku: sku, reason: nil)
        }

        func line(
            asked: Int, refunded: Int, declined: Int, failed: Int, amounts: [String: Int64], sold: Int
        ) throws -> CommerceRegisterLine {
            CommerceRegisterLine(
                app: AppID(rawValue: app), environment: AppEnvironment(rawValue: environment) ?? .production,
                month: month, sku: sku, reason: reason.flatMap(CommerceReason.init), asked: asked, refunded: refunded,
                declined: declined, failed: failed, refundedAmounts: amounts, sold: sold)
        }
    }
}

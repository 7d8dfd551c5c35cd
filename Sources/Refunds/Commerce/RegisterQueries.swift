import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL behind the register: what was asked for, what came of it, and what was sold.
enum RegisterQueries {
    // MARK: totals

    static func summary(of tenant: TenantID, _ filter: RegisterFilter, in tx: Transaction) async throws
        -> RegisterSummary
    {
        let parts = try await tx.pipeline([
            """
            select a.month, a.app_id, a.reason, grouping(a.month, a.app_id, a.reason) as level, \(counts)
            from (\(asked(tenant, filter))) a
            group by grouping sets ((), (a.month), (a.app_id), (a.reason))
            order by 4, 1 desc, 2, 3
            limit 5000
            """,
            """
            select s.month, s.app_id, grouping(s.month, s.app_id) as level, count(*) as sold
            from (\(sold(tenant, filter))) s
            group by grouping sets ((), (s.month), (s.app_id))
            order by 3, 1 desc, 2
            limit 5000
            """,
            """
            select a.currency, sum(a.refunded_amount)::bigint as amount
            from (\(asked(tenant, filter))) a
            where a.is_refunded and a.refunded_amount is not null and a.currency is not null
            group by a.currency
            order by a.currency
            limit 500
            """,
        ])
        var summary = RegisterSummary()
        var months: [String: RegisterTally] = [:]
        var apps: [Int64: RegisterTally] = [:]
        var reasons: [(CommerceReason?, RegisterTally)] = []
        for row in parts[0] {
            let level: Int32 = try row("level")
            let tally = try RegisterTally(row, sold: 0)
            // A bit for each of the three that is summed up: month 4, app 2, reason 1.
            switch level {
            case 7: summary.total = tally
            case 3: months[try row("month")] = tally
            case 5: apps[try row("app_id")] = tally
            default:
                let reason: String? = try row("reason")
                reasons.append((reason.flatMap(CommerceReason.init), tally))
            }
        }
        for row in parts[1] {
            let level: Int32 = try row("level")
            let sold: Int = try row("sold")
            switch level {
            case 3: summary.total.sold = sold
            case 1: months[try row("month"), default: RegisterTally()].sold = sold
            default: apps[try row("app_id"), default: RegisterTally()].sold = sold
            }
        }
        for row in parts[2] { summary.refundedAmounts[try row("currency")] = try row("amount") }
        summary.months = months.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
        summary.apps = apps.sorted { ($0.value.refunded, $1.key) > ($1.value.refunded, $0.key) }
            .map { (AppID(rawValue: $0.key), $0.value) }
        summary.reasons = reasons.map { reason, tally in
            var tally = tally
            tally.sold = summary.total.sold
            return (reason, tally)
        }.sorted { $0.tally.refunded > $1.tally.refunded }
        return summary
    }

    // MARK: lines

    static func lines(
        of tenant: TenantID, _ filter: RegisterFilter, skip: Int, limit: Int, in tx: Transaction
    ) async throws -> (lines: [RegisterLine], all: Int) {
        let rows = try await tx.rows(
            """
            with asked as (
              select a.month, a.app_id, a.sku, a.reason, \(counts)
              from (\(asked(tenant, filter))) a
              group by a.month, a.app_id, a.sku, a.reason),
            page as (
              select p.month, p.app_id, p.sku, p.reason, p.asked, p.refunded, p.declined, p.failed,
                count(*) over () as all_lines
              from asked p
              order by p.month desc, p.refunded desc, p.asked desc, p.app_id, p.sku, p.reason
              limit \(min(max(limit, 1), 1000)) offset \(max(skip, 0)))
            select p.month, p.app_id, p.sku, p.reason, p.asked, p.refunded, p.declined, p.failed, p.all_lines,
              coalesce(s.sold, 0) as sold
            from page p
            left join (
              select s.month, s.app_id, s.sku, count(*) as sold
              from (\(sold(tenant, filter))) s
              where s.sku in (select sku from page)
              group by s.month, s.app_id, s.sku) s on s.month = p.month and s.app_id = p.app_id and s.sku = p.sku
            order by p.month desc, p.refunded desc, p.asked desc, p.app_id, p.sku, p.reason
            """)
        return (try await lines(rows, tenant, filter, in: tx), try rows.first.map { try $0("all_lines") } ?? 0)
    }

    static func file(
        of tenant: TenantID, _ filter: RegisterFilter, after: RegisterCursor?, limit: Int, in tx: Transaction
    ) async throws -> (lines: [RegisterLine], next: RegisterCursor?) {
        let limit = min(max(limit, 1), 1000)
        var behind: SQL = "true"
        if let after {
            behind = """
                (m.month < \(after.month)
                  or m.month = \(after.month)
                    and (m.app_id, m.sku, m.reason) > (\(after.app), \(after.sku), \(after.reason)))
                """
        }
        let rows = try await tx.rows(
            """
            with asked as (
              select a.month, a.app_id, a.sku, coalesce(a.reason, '') as reason, \(counts)
              from (\(asked(tenant, filter))) a
              group by a.month, a.app_id, a.sku, a.reason),
            sold as (
              select s.month, s.app_id, s.sku, count(*) as sold
              from (\(sold(tenant, filter))) s
              group by s.month, s.app_id, s.sku)
            select m.month, m.app_id, m.sku, m.reason, m.asked, m.refunded, m.declined, m.failed, m.sold
            from (
              select month, app_id, sku, coalesce(a.reason, '') collate "C" as reason, coalesce(a.asked, 0) as asked,
                coalesce(a.refunded, 0) as refunded, coalesce(a.declined, 0) as declined,
                coalesce(a.failed, 0) as failed, coalesce(s.sold, 0) as sold
              from asked a
              full join sold s using (month, app_id, sku)) m
            where \(behind)
            order by m.month desc, m.app_id, m.sku, m.reason
            limit \(limit + 1)
            """)
        let page = Array(rows.prefix(limit))
        let next = try rows.count > limit ? page.last.map { try RegisterCursor($0) } : nil
        return (try await lines(page, tenant, filter, in: tx), next)
    }

    /// Rows of lines, with the amounts that were given back for them.
    private static func lines(
        _ rows: [Row], _ tenant: TenantID, _ filter: RegisterFilter, in tx: Transaction
    ) async throws -> [RegisterLine] {
        let keys = try rows.map { try RegisterCursor($0) }
        let skus = Array(Set(keys.map(\.sku)))
        if skus.isEmpty { return [] }
        let amounts = try await tx.rows(
            """
            select a.month, a.app_id, a.sku, coalesce(a.reason, '') as reason, a.currency,
              sum(a.refunded_amount)::bigint as amount
            from (\(asked(tenant, filter))) a
            where a.is_refunded and a.refunded_amount is not null and a.currency is not null and a.sku = any(\(skus))
            group by 1, 2, 3, 4, 5
            """)
        var back: [RegisterCursor: [String: Int64]] = [:]
        for row in amounts { back[try RegisterCursor(row), default: [:]][try row("currency")] = try row("amount") }
        return try zip(rows, keys).map { row, key in
            RegisterLine(
                month: key.month, app: AppID(rawValue: key.app), sku: key.sku,
                reason: CommerceReason(rawValue: key.reason), tally: try RegisterTally(row, sold: row("sold")),
                refundedAmounts: back[key] ?? [:])
        }
    }

    // MARK: requests

    static func entries(
        of tenant: TenantID, _ filter: RegisterFilter, after: ListCursor?, limit: Int, in tx: Transaction
    ) async throws -> (entries: [RegisterEntry], next: ListCursor?) {
        let limit = min(max(limit, 1), 1000)
        var condition: SQL = "r.app_id = any(\(filter.apps.map(\.rawValue)))"
        if let environment = filter.environment {
            condition = "\(condition) and r.environment = \(environment.rawValue)"
        }
        if let after {
            condition = "\(condition) and (r.listed_at, r.request_id) < (\(after.at), \(after.id))"
        }
        let rows = try await tx.rows(
            """
            select r.request_id, r.app_id, r.environment, r.kind, r.state, r.state_reason, r.transaction_id,
              r.product_id, r.asked_at, r.listed_at, i.sku, coalesce(i.refund_reason, r.refund_reason) as reason,
              coalesce(i.refund_type, r.refund_type) as type, i.refund_amount, i.revoke,
              coalesce(i.price, case when r.kind = 'revoke' and i.sku is null then r.amount_estimate end) as price,
              coalesce(r.currency, t.currency) as currency, coalesce(r.storefront, t.storefront) as storefront,
              i.refunded_amount, i.refunded_at, i.revoked_at, r.answer_status, r.answer_code
            from (
              select r.tenant_id, r.request_id, r.app_id, r.environment, r.kind, r.state, r.state_reason,
                r.transaction_id, r.product_id, r.asked_at, r.listed_at, r.refund_reason, r.refund_type,
                r.amount_estimate, r.currency, r.storefront, r.answer_status, r.answer_code
              from refunds.commerce_requests r
              where r.tenant_id = \(tenant.rawValue) and r.listed_at >= \(filter.from) and r.listed_at < \(filter.to)
                and \(condition)
              order by r.listed_at desc, r.request_id desc
              limit \(limit + 1)) r
            left join refunds.commerce_items i on i.tenant_id = r.tenant_id and i.request_id = r.request_id
            left join refunds.transactions t on t.tenant_id = r.tenant_id and t.app_id = r.app_id
              and t.environment = r.environment and t.transaction_id = r.transaction_id
            order by r.listed_at desc, r.request_id desc, i.item_no
            """)
        var entries: [RegisterEntry] = []
        var last: ListCursor?
        var requests = 0
        for row in rows {
            let entry = try RegisterEntry(row)
            if entry.request != last?.id {
                requests += 1
                if requests > limit { return (entries, last) }
                last = ListCursor(at: try row("listed_at"), id: entry.request)
            }
            entries.append(entry)
        }
        return (entries, nil)
    }

    // MARK: what is counted

    private static let counts: SQL = """
        count(*) as asked, count(*) filter (where a.is_refunded) as refunded,
          count(*) filter (where a.state = 'declined' and a.is_ours) as declined, count(*) filter (where a.state = 'failed') as failed
        """

    /// A row for each item that was asked for. A revocation is about every item of its transaction.
    private static func asked(_ tenant: TenantID, _ filter: RegisterFilter) -> SQL {
        var condition: SQL = "r.app_id = any(\(filter.apps.map(\.rawValue)))"
        if let environment = filter.environment {
            condition = "\(condition) and r.environment = \(environment.rawValue)"
        }
        return """
            select r.app_id, to_char(r.listed_at at time zone 'UTC', 'YYYY-MM') as month,
              coalesce(i.sku, s.sku, r.product_id) as sku, coalesce(i.refund_reason, r.refund_reason) as reason,
              r.state, i.refunded_amount, coalesce(r.currency, t.currency) as currency,
              r.state_reason is distinct from 'customers-request' as is_ours,
              (r.state_reason is null or r.state_reason not in ('reversed', 'customers-request'))
                and case when i.sku is null then r.state = 'refunded' else i.refunded_at is not null end as is_refunded
            from refunds.commerce_requests r
            left join refunds.commerce_items i on i.tenant_id = r.tenant_id and i.request_id = r.request_id
            left join refunds.commerce_sales s on r.kind = 'revoke' and i.sku is null and s.tenant_id = r.tenant_id
              and s.app_id = r.app_id and s.environment = r.environment and s.transaction_id = r.transaction_id
            left join refunds.transactions t on t.tenant_id = r.tenant_id and t.app_id = r.app_id
              and t.environment = r.environment and t.transaction_id = r.transaction_id
            where r.tenant_id = \(tenant.rawValue) and r.listed_at >= \(filter.from) and r.listed_at < \(filter.to)
              and r.kind <> 'cancel' and r.state not in ('draft', 'cancelled') and \(condition)
            """
    }

    private static func sold(_ tenant: TenantID, _ filter: RegisterFilter) -> SQL {
        var condition: SQL = "s.app_id = any(\(filter.apps.map(\.rawValue)))"
        if let environment = filter.environment {
            condition = "\(condition) and s.environment = \(environment.rawValue)"
        }
        return """
            select s.app_id, to_char(s.sold_at at time zone 'UTC', 'YYYY-MM') as month, s.sku
            from refunds.commerce_sales s
            where s.tenant_id = \(tenant.rawValue) and s.sold_at >= \(filter.from) and s.sold_at < \(filter.to)
              and \(condition)
            """
    }
}

extension RegisterTally {
    fileprivate init(_ row: Row, sold: Int) throws {
        self.init(
            asked: try row("asked"), refunded: try row("refunded"), declined: try row("declined"),
            failed: try row("failed"), sold: sold)
    }
}

extension RegisterCursor {
    fileprivate init(_ row: Row) throws {
        let reason: String? = try row("reason")
        self.init(month: try row("month"), app: try row("app_id"), sku: try row("sku"), reason: reason ?? "")
    }
}

extension RegisterEntry {
    fileprivate init(_ row: Row) throws {
        let (environment, kind, state): (String, String, String) =
            (try row("environment"), try row("kind"), try row("state"))
        let (stateReason, reason, type): (String?, String?, String?) =
            (try row("state_reason"), try row("reason"), try row("type"))
        let amount: Int32? = try row("refund_amount")
        let status: Int32? = try row("answer_status")
        self.init(
            request: try row("request_id"), app: AppID(rawValue: try row("app_id")),
            environment: AppEnvironment(rawValue: environment) ?? .production,
            kind: CommerceKind(rawValue: kind) ?? .refund, state: CommerceRequestState(rawValue: state) ?? .failed,
            stateReason: stateReason.flatMap(CommerceStateReason.init), transactionID: try row("transaction_id"),
            productID: try row("product_id"), askedAt: try row("asked_at"), sku: try row("sku"),
            reason: reason.flatMap(CommerceReason.init), type: type.flatMap(CommerceRefundType.init),
            amount: amount.map(Int64.init), price: try row("price"), currency: try row("currency"),
            storefront: try row("storefront"), revoke: try row("revoke"), refundedAmount: try row("refunded_amount"),
            refundedAt: try row("refunded_at"), revokedAt: try row("revoked_at"), appleStatus: status.map(Int.init),
            appleCode: try row("answer_code"))
    }
}

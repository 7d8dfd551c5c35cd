import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL behind outcomes. Of each app the newest cases of the time are read, by index, and no more than a page can
/// wait for.
enum OutcomeQueries {
    /// Answered cases that the times are taken of.
    private static let timedMax = 5000

    static func read(of tenant: TenantID, _ filter: OutcomeFilter, in tx: Transaction) async throws -> Outcomes {
        if filter.apps.isEmpty { return Outcomes(cells: []) }
        let each = max(1000, Outcomes.casesMax / filter.apps.count)
        let newest = cases(of: tenant, filter, each)
        let parts = try await tx.pipeline([
            """
            select c.state, c.state_reason, c.told, c.outcome, c.reason, count(*) as cases
            from (\(newest)) c
            group by c.state, c.state_reason, c.told, c.outcome, c.reason
            order by 6 desc
            limit 5000
            """,
            """
            select c.currency, sum(c.price)::int8 as money
            from (\(newest)) c
            where c.state = 'withheld' and c.state_reason = 'no-consent' and c.price is not null
              and c.currency is not null
            group by c.currency
            order by c.currency
            limit 300
            """,
            times(of: tenant, filter), months(of: tenant, filter, each), products(of: tenant, newest),
            """
            select coalesce(max(n), 0) >= \(each) as cut_off
            from (select count(*) as n from (\(newest)) c group by c.app_id) a
            """,
        ])
        let cells = try parts[0].map { row in
            Outcomes.Cell(
                state: try row.word("state"), stateReason: try row("state_reason"), told: try row.wordIfAny("told"),
                outcome: try row.word("outcome"), reason: try row("reason"), cases: try row("cases"))
        }
        let costs = try await self.costs(of: tenant, parts[4], in: tx)
        return Outcomes(
            cells: cells,
            moneyWithoutConsent: try Dictionary(
                parts[1].map { (try $0("currency"), try $0("money")) }, uniquingKeysWith: { $1 }),
            medianToAnswer: try parts[2].first.flatMap { try $0("median") },
            nineInTenToAnswer: try parts[2].first.flatMap { try $0("ninety") },
            months: try parts[3].map {
                Outcomes.Month(month: try $0("month"), bought: try $0("bought"), refunded: try $0("refunded"))
            },
            products: try products(parts[4], costs: costs), isCutOff: try parts[5].first?("cut_off") ?? false)
    }

    private static func environment(_ filter: OutcomeFilter) -> [String] {
        (filter.environment.map { [$0] } ?? AppEnvironment.allCases).map(\.rawValue)
    }

    private static func cases(of tenant: TenantID, _ filter: OutcomeFilter, _ each: Int) -> SQL {
        """
        select h.*
        from unnest(\(filter.apps.map(\.rawValue))::int8[]) a(app_id)
        cross join lateral (
          select c.case_id, c.app_id, c.state, c.state_reason, c.told, c.outcome, c.reason, c.product_id, c.price,
            c.currency
          from refunds.cases c
          where c.tenant_id = \(tenant.rawValue) and c.app_id = a.app_id
            and c.environment = any(\(environment(filter))) and c.listed_at >= \(filter.from)
            and c.listed_at < \(filter.to)
          order by c.listed_at desc, c.case_id desc
          limit \(each)) h
        """
    }

    private static func times(of tenant: TenantID, _ filter: OutcomeFilter) -> SQL {
        """
        select percentile_disc(0.5) within group (order by t.took) as median,
          percentile_disc(0.9) within group (order by t.took) as ninety
        from (
          select n.ended_at - r.first_received_at as took
          from unnest(\(filter.apps.map(\.rawValue))::int8[]) a(app_id)
          cross join lateral (
            select c.case_id
            from refunds.cases c
            where c.tenant_id = \(tenant.rawValue) and c.app_id = a.app_id and c.told is not null
              and c.environment = any(\(environment(filter))) and c.listed_at >= \(filter.from)
              and c.listed_at < \(filter.to)
            order by c.listed_at desc, c.case_id desc
            limit \(max(100, timedMax / filter.apps.count))) c
          join refunds.attempts n
            on n.tenant_id = \(tenant.rawValue) and n.case_id = c.case_id and n.result = 'accepted'
          join refunds.rounds r
            on r.tenant_id = \(tenant.rawValue) and r.case_id = n.case_id and r.round_id = n.round_id) t
        """
    }

    /// What was free, and copies of family members, are no purchases.
    private static func months(of tenant: TenantID, _ filter: OutcomeFilter, _ each: Int) -> SQL {
        """
        select to_char(t.purchased_at at time zone 'UTC', 'YYYY-MM') as month, count(*) as bought,
          count(*) filter (where t.revoked_at is not null) as refunded
        from unnest(\(filter.apps.map(\.rawValue))::int8[]) a(app_id)
        cross join unnest(\(environment(filter))::text[]) e(environment)
        cross join lateral (
          select purchased_at, revoked_at, price, ownership
          from refunds.transactions
          where tenant_id = \(tenant.rawValue) and app_id = a.app_id and environment = e.environment
            and purchased_at >= \(filter.from) and purchased_at < \(filter.to)
          order by purchased_at desc
          limit \(each)) t
        where t.price is distinct from 0 and coalesce(t.ownership, 'PURCHASED') = 'PURCHASED'
        group by 1
        order by 1 desc
        limit 120
        """
    }

    private static func products(of tenant: TenantID, _ newest: SQL) -> SQL {
        """
        with k as materialized (
          select c.app_id, c.product_id, c.currency, c.price, d.share
          from (\(newest)) c
          left join refunds.decisions d on d.tenant_id = \(tenant.rawValue) and d.case_id = c.case_id
          where c.outcome = 'refunded'),
        p as (
          select app_id, product_id, count(*) as refunds
          from k
          group by app_id, product_id
          order by 3 desc, 1, 2
          limit \(Outcomes.productsMax))
        select p.app_id, p.product_id, p.refunds, k.currency, count(*) as cases, count(k.share) as uses,
          coalesce(sum(k.share), 0)::int8 as used, coalesce(sum(k.price), 0)::int8 as money
        from p
        join k on k.app_id = p.app_id and k.product_id = p.product_id
        group by p.app_id, p.product_id, p.refunds, k.currency
        order by p.refunds desc, p.app_id, p.product_id, k.currency
        limit 5000
        """
    }

    private struct Key: Hashable {
        let app: Int64
        let product: String
    }

    /// What is filled in for the products of some rows.
    private static func costs(of tenant: TenantID, _ rows: [Row], in tx: Transaction) async throws -> [Key: [SKUCost]] {
        if rows.isEmpty { return [:] }
        let apps: [Int64] = try rows.map { try $0("app_id") }
        let products: [String] = try rows.map { try $0("product_id") }
        let found = try await tx.rows(
            """
            select app_id, sku, kind, milliunits, currency, note, basis
            from refunds.sku_costs
            where tenant_id = \(tenant.rawValue) and app_id = any(\(Array(Set(apps)))) and sku = any(\(Array(Set(products))))
            order by app_id, sku, kind
            limit 5000
            """)
        var costs: [Key: [SKUCost]] = [:]
        for row in found {
            guard let cost = try SKUCost(row) else { continue }
            costs[Key(app: try row("app_id"), product: cost.sku), default: []].append(cost)
        }
        return costs
    }

    private struct Tally {
        var refunds = 0
        var uses = 0
        var used: Int64 = 0
        var prices: [String: Int64] = [:]
    }

    private static func products(_ rows: [Row], costs: [Key: [SKUCost]]) throws -> [Outcomes.Product] {
        var order: [Key] = []
        var tallies: [Key: Tally] = [:]
        for row in rows {
            let key = Key(app: try row("app_id"), product: try row("product_id"))
            if tallies[key] == nil { order.append(key) }
            var tally = tallies[key] ?? Tally()
            let (uses, used, money): (Int, Int64, Int64) = (try row("uses"), try row("used"), try row("money"))
            tally.refunds = try row("refunds")
            tally.uses += uses
            tally.used += used
            if let currency: String = try row("currency") { tally.prices[currency, default: 0] += money }
            tallies[key] = tally
        }
        return order.map { key in
            let tally = tallies[key] ?? Tally()
            let filled = costs[key]
            return Outcomes.Product(
                app: AppID(rawValue: key.app), product: key.product, refunds: tally.refunds, prices: tally.prices,
                costs: filled.map { filled in
                    filled.reduce(into: [:]) { sum, cost in
                        sum[cost.currency, default: 0] += cost.spent(sales: tally.refunds, used: tally.used)
                    }
                }, usesKnown: tally.uses, hasCostByUse: filled?.contains { $0.basis == .use } ?? false)
        }
    }
}

extension SKUCost {
    /// Nil for a kind that only a newer release knows.
    init?(_ row: Row) throws {
        let (kind, basis): (String, String) = (try row("kind"), try row("basis"))
        guard let kind = Kind(rawValue: kind), let basis = Basis(rawValue: basis) else { return nil }
        self.init(
            sku: try row("sku"), kind: kind, milliunits: try row("milliunits"), currency: try row("currency"),
            note: try row("note"), basis: basis)
    }

    /// What was spent, in milliunits.
    ///
    /// - Parameter used: the sum of the shares that were used, in thousandths of a percent.
    func spent(sales: Int, used: Int64) -> Int64 {
        let (whole, overflow) = milliunits.multipliedReportingOverflow(by: basis == .sale ? Int64(sales) : used)
        return overflow ? .max / 4 : basis == .sale ? whole : whole / 100_000
    }
}

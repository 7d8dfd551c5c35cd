import Postgres
import Tenants
import Time

/// What it costs an app that customers did not agree: requests that were not answered for want of consent.
package struct ConsentCost: Sendable, Hashable {
    /// How far back it is counted.
    package static let days: Int64 = 90
    /// Cases that are counted; beyond it the numbers are said to be at least so much.
    package static let casesMax = 10_000

    /// Requests of Production that were withheld for want of consent.
    package var withheld = 0
    /// What those purchases cost, in milliunits by currency.
    package var price: [String: Int64] = [:]
    /// How many of them Apple refunded, and what those cost.
    package var refunded = 0
    package var refundedPrice: [String: Int64] = [:]
    /// All requests of the same time, withheld or not; as many are counted.
    package var requests = 0

    package var isAtLeast: Bool { withheld >= Self.casesMax || requests >= Self.casesMax }

    package init() {}

    init(_ rows: [Row]) throws {
        for row in rows {
            let (n, sum): (Int64, Int64?) = (try row("n"), try row("price"))
            let currency: String? = try row("currency")
            requests += Int(n)
            guard try row("lacked") as Bool else { continue }
            let wasRefunded: Bool = try row("refunded")
            withheld += Int(n)
            if wasRefunded { refunded += Int(n) }
            guard let currency, let sum else { continue }
            price[currency, default: 0] += sum
            if wasRefunded { refundedPrice[currency, default: 0] += sum }
        }
    }

    static func count(_ app: AppID, tenant: TenantID, at now: Moment) -> SQL {
        """
        select c.lacked, c.refunded, c.currency, count(*) as n, sum(c.price)::int8 as price
        from (
          select coalesce(state = 'withheld' and state_reason = 'no-consent', false) as lacked,
            outcome = 'refunded' as refunded, currency, price
          from refunds.cases
          where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and listed_at >= \(now - .days(days))
            and environment = 'Production' and deadline is not null and state <> 'imported'
          order by listed_at desc, case_id desc
          limit \(casesMax)) c
        group by c.lacked, c.refunded, c.currency
        order by c.lacked, c.refunded, c.currency
        limit 1000
        """
    }
}

import Postgres
import Tenants
import Time

/// The SQL behind `DriftCounts`: a sample of each day, so that a busy app costs no more than a quiet one.
enum DriftQueries {
    /// Newest cases of each day that are read; from more of them the whole day is reckoned. All days are cut at the same
    /// hour, so that the hours of a day do not matter.
    static let sampleMax: Int64 = 2000
    private static let seriesMax: Int64 = 20_000

    static func counts(of tenant: TenantID, _ apps: [App], at now: Moment, in tx: Transaction) async throws
        -> [DriftCounts]
    {
        let real = apps.filter { !$0.isRehearsal }.map(\.id.rawValue)
        if real.isEmpty { return [] }
        let parts = try await tx.pipeline([
            counting("c.listed_at", "c.reason", "c.reason is not null", tenant, real, at: now),
            counting(
                "c.refunded_at", "case when c.refund_reason = 1 then \(DriftCounts.developerIssue) else 'other' end",
                "c.refunded_at is not null", tenant, real, at: now),
        ])
        return try zip(DriftCounts.Kind.allCases, parts).flatMap { kind, rows in
            var found: [AppID: DriftCounts] = [:]
            for row in rows {
                let (id, known, day): (Int64, Int32, Int32) = (
                    try row("app_id"), try row("known_days"), try row("day")
                )
                let (dimension, value): (String, String) = (try row("dimension"), try row("value"))
                let (reason, customers): (String, Double) = (try row("reason"), try row("customers"))
                let app = AppID(rawValue: id)
                let place: DriftPlace =
                    switch dimension {
                    case "product": .product(value)
                    case "version": .version(value)
                    case "storefront": .storefront(value)
                    default: .wholeApp
                    }
                found[app, default: DriftCounts(app: app, kind: kind, knownDays: Int(known))]
                    .add(customers, reason, at: place, day: Int(day))
            }
            return found.values.sorted { $0.app.rawValue < $1.app.rawValue }
        }
    }

    /// One row for each app, day, reason and place. Of products, builds and storefronts only those that as many customers
    /// as a jump needs asked about in the last day.
    private static func counting(
        _ at: SQL, _ reason: SQL, _ condition: SQL, _ tenant: TenantID, _ apps: [Int64], at now: Moment
    ) -> SQL {
        """
        with sample as materialized (
          select p.app_id, d.day, p.known_days, s.reason, s.product_id, s.build, s.storefront, s.customer, s.at
          from (
            select app_id, least(\(Int32(DriftCounts.days - 1)), extract(epoch from \(now) - created_at)::int8 / 86400 - 1)::int4 as known_days
            from tenants.apps
            where tenant_id = \(tenant.rawValue) and app_id = any(\(apps)::int8[])
              and created_at <= \(now - .days(Int64(ReasonDrift.usualAfterDays + 1)))) p
          cross join generate_series(0, \(Int32(DriftCounts.days - 1))) d(day)
          cross join lateral (
            select \(reason) as reason, c.product_id, c.build, c.storefront, coalesce(c.customer, c.original_transaction_id) as customer,
              \(at) as at
            from refunds.cases c
            where c.tenant_id = \(tenant.rawValue) and c.app_id = p.app_id
              and \(at) > \(now) - make_interval(hours => 24 * (d.day + 1)) and \(at) <= \(now) - make_interval(hours => 24 * d.day)
              and c.environment = 'Production' and c.state <> 'imported' and \(condition)
            order by \(at) desc, c.case_id desc
            limit \(sampleMax)) s),
        weights as (
          select app_id, day,
            case when count(*) < \(sampleMax) then 1.0
              else 86400 / greatest(extract(epoch from \(now) - make_interval(hours => 24 * day) - min(at)), 1) end as weight
          from sample
          group by app_id, day),
        counted as (
          select s.app_id, s.known_days, s.day, s.reason,
            case when grouping(s.product_id) = 0 then 'product' when grouping(s.build) = 0 then 'version'
              when grouping(s.storefront) = 0 then 'storefront' else 'app' end as dimension,
            coalesce(s.product_id, s.build, s.storefront) as value, count(distinct s.customer) as n
          from sample s
          group by grouping sets (
            (s.app_id, s.known_days, s.day, s.reason), (s.app_id, s.known_days, s.day, s.reason, s.product_id),
            (s.app_id, s.known_days, s.day, s.reason, s.build), (s.app_id, s.known_days, s.day, s.reason, s.storefront))),
        hot as (
          select c.app_id, c.dimension, c.value
          from counted c
          join weights w using (app_id, day)
          where c.day = 0
          group by c.app_id, c.dimension, c.value
          having sum(c.n * w.weight) >= \(Int32(ReasonDrift.customersMin)))
        select c.app_id, c.known_days, c.day, c.reason, c.dimension, coalesce(c.value, '') as value,
          (c.n * w.weight)::float8 as customers
        from counted c
        join weights w using (app_id, day)
        join hot h on h.app_id = c.app_id and h.dimension = c.dimension and h.value is not distinct from c.value
        where c.dimension = 'app' or c.value <> ''
        order by c.app_id, c.dimension <> 'app', c.dimension, c.value, c.day, c.reason
        limit \(seriesMax)
        """
    }
}

package import Postgres
package import Time

/// Forgets what has been kept long enough, a little at a time.
///
/// Each batch is a short transaction of its own: one that held a snapshot for long would slow the
/// queue. Any process may run it; an advisory lock lets one work at a time. Sessions and links are
/// forgotten by the room that makes them.
package final class Retention: Sendable {
    private let database: Database
    private let terms: RetentionTerms
    private let clock: WallClock

    package init(database: Database, terms: RetentionTerms = RetentionTerms(), clock: WallClock) {
        self.database = database
        self.terms = terms
        self.clock = clock
    }

    /// Forgets everything that is due, in batches. Gives how many rows (or months) of each kind went.
    package func prune() async throws -> [String: Int] {
        let now = clock.now
        var forgotten: [String: Int] = [:]
        for (name, statement) in statements(now) {
            while !Task.isCancelled {
                let count = try await database.transaction(.house, within: .seconds(30)) { tx -> Int? in
                    let turn: Bool =
                        try await tx.row("select pg_try_advisory_xact_lock(hashtext('retention')) as mine")?("mine")
                        ?? false
                    return turn ? try await tx.execute(statement) : nil
                }
                guard let count else { return forgotten }
                if count > 0 { forgotten[name, default: 0] += count }
                if count < Self.batch { break }
            }
        }
        let months: Int32 = try await database.rows(
            .house, "select refunds.forget_bodies(\(now - terms.bodies)) as months", within: .seconds(60))[0]("months")
        if months > 0 { forgotten["months of bodies"] = Int(months) }
        // Partitions for the months ahead are made in the same go: whoever runs for two years without
        // an upgrade must not end up in the default one.
        _ = try await database.rows(.house, "select refunds.make_partitions(24) as made", within: .seconds(60))
        return forgotten
    }

    static let batch = 1000

    private func statements(_ now: Moment) -> [(String, SQL)] {
        let batch = Int64(Self.batch)
        return [
            (
                "refusals",
                """
                delete from refunds.refusals r
                using (select tenant_id, app_id, slot from refunds.refusals
                       where received_at < \(now - terms.refusals) order by received_at limit \(batch)) old
                where (r.tenant_id, r.app_id, r.slot) = (old.tenant_id, old.app_id, old.slot)
                """
            ),
            (
                "cases",
                """
                delete from refunds.cases c
                using (select tenant_id, case_id from refunds.cases
                       where listed_at < \(now - terms.cases) and state not in ('open', 'held')
                       order by listed_at limit \(batch)) old
                where (c.tenant_id, c.case_id) = (old.tenant_id, old.case_id)
                """
            ),
            (
                "commerce requests",
                """
                delete from refunds.commerce_requests r
                using (select tenant_id, request_id from refunds.commerce_requests
                       where listed_at < \(now - terms.cases) and state not in ('queued', 'sending')
                       order by listed_at limit \(batch)) old
                where (r.tenant_id, r.request_id) = (old.tenant_id, old.request_id)
                """
            ),
            (
                "commerce sales",
                """
                delete from refunds.commerce_sales s
                using (select tenant_id, app_id, environment, transaction_id, sku from refunds.commerce_sales
                       where sold_at < \(now - terms.cases) order by sold_at limit \(batch)) old
                where (s.tenant_id, s.app_id, s.environment, s.transaction_id, s.sku)
                    = (old.tenant_id, old.app_id, old.environment, old.transaction_id, old.sku)
                """
            ),
            (
                "renewals",
                """
                delete from refunds.renewals r
                using (select tenant_id, app_id, environment, original_transaction_id from refunds.renewals
                       where signed_at < \(now - terms.cases) order by signed_at limit \(batch)) old
                where (r.tenant_id, r.app_id, r.environment, r.original_transaction_id)
                    = (old.tenant_id, old.app_id, old.environment, old.original_transaction_id)
                """
            ),
            (
                "notifications",
                """
                delete from refunds.notifications n
                using (select n.tenant_id, n.app_id, n.notification_uuid from refunds.notifications n
                       where n.received_at < \(now - terms.notifications)
                         and not exists (select from refunds.cases c
                                         where c.tenant_id = n.tenant_id and c.app_id = n.app_id
                                           and c.environment = n.environment and c.transaction_id = n.transaction_id)
                       order by n.received_at limit \(batch)) old
                where (n.tenant_id, n.app_id, n.notification_uuid) = (old.tenant_id, old.app_id, old.notification_uuid)
                """
            ),
            (
                "transactions",
                """
                delete from refunds.transactions t
                using (select t.tenant_id, t.app_id, t.environment, t.transaction_id from refunds.transactions t
                       where t.signed_at < \(now - terms.cases)
                         and not exists (select from refunds.cases c
                                         where c.tenant_id = t.tenant_id and c.app_id = t.app_id
                                           and c.environment = t.environment and c.transaction_id = t.transaction_id)
                         and not exists (select from refunds.commerce_requests r
                                         where r.tenant_id = t.tenant_id and r.app_id = t.app_id
                                           and r.environment = t.environment and r.transaction_id = t.transaction_id)
                       order by t.signed_at limit \(batch)) old
                where (t.tenant_id, t.app_id, t.environment, t.transaction_id)
                    = (old.tenant_id, old.app_id, old.environment, old.transaction_id)
                """
            ),
            (
                "relay deliveries",
                """
                delete from refunds.relay_deliveries d
                using (select tenant_id, app_id, notification_uuid from refunds.relay_deliveries
                       where created_at < \(now - terms.relay) and state <> 'waiting'
                       order by created_at limit \(batch)) old
                where (d.tenant_id, d.app_id, d.notification_uuid)
                    = (old.tenant_id, old.app_id, old.notification_uuid)
                """
            ),
            (
                "days of history",
                """
                delete from refunds.history_days d
                using (select tenant_id, app_id, environment, day from refunds.history_days
                       where day < \(now - terms.notifications) order by day limit \(batch)) old
                where (d.tenant_id, d.app_id, d.environment, d.day)
                    = (old.tenant_id, old.app_id, old.environment, old.day)
                """
            ),
            (
                "usage reports",
                """
                delete from refunds.usage u
                using (select tenant_id, app_id, transaction_id, usage_no from refunds.usage
                       where learned_at < \(now - terms.cases) order by learned_at limit \(batch)) old
                where (u.tenant_id, u.app_id, u.transaction_id, u.usage_no)
                    = (old.tenant_id, old.app_id, old.transaction_id, old.usage_no)
                """
            ),
        ]
    }
}

import FoundationEssentials
import Postgres
import Tenants

/// The SQL behind the one look-up field: each kind of name has its own index.
enum LookUpQueries {
    static let casesMax = 50

    static func find(
        _ text: String, of tenant: TenantID, apps: [AppID], in tx: Transaction
    ) async throws -> LookUp {
        let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !text.isEmpty, text.utf8.count <= 200, !text.contains("\0"), !apps.isEmpty else {
            return LookUp(cases: [], notifications: [])
        }
        var notifications: [NotificationLine] = []
        if let id = UUID(uuidString: text) {
            notifications = try await tx.rows(
                """
                select \(NotificationQueries.columns)
                from refunds.notifications n
                where n.app_id = any(\(apps.map(\.rawValue))::int8[]) and n.notification_uuid = \(id)
                order by n.received_at desc, n.app_id
                limit 10
                """
            ).map { try NotificationLine($0) }
        }
        let transactions = [text] + notifications.compactMap(\.transactionID)
        let cases = try await tx.rows(cases(apps: apps, text: text, transactions: transactions)).map {
            try CaseLine($0)
        }
        let withCase = Set(cases.map(\.transactionID))
        return LookUp(
            cases: cases, notifications: notifications.filter { !withCase.contains($0.transactionID ?? "") })
    }

    static func cases(apps: [AppID], text: String, transactions: [String]) -> SQL {
        """
        with k as materialized (
          select distinct h.case_id
          from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
          cross join lateral (
            (select c.case_id
             from refunds.cases c
             where c.app_id = a.app_id and c.transaction_id = any(\(transactions)::text[])
             limit \(casesMax))
            union all
            (select c.case_id
             from refunds.cases c
             where c.app_id = a.app_id and c.original_transaction_id = \(text)
             order by c.listed_at desc
             limit \(casesMax))
            union all
            (select c.case_id
             from refunds.cases c
             where c.app_id = a.app_id and c.customer = \(text.lowercased())
             order by c.listed_at desc
             limit \(casesMax))) h)
        select \(CaseQueries.columns)
        from k
        join refunds.cases c using (case_id)
        order by c.listed_at desc, c.case_id desc
        limit \(casesMax)
        """
    }
}

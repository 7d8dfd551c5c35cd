import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL that reads the quarantine.
enum RefusalQueries {
    static let limitMax = 100

    static func list(
        of tenant: TenantID, apps: [AppID], after: RefusalCursor?, limit: Int, in tx: Transaction
    ) async throws -> RefusalPage {
        if apps.isEmpty { return RefusalPage(refusals: [], next: nil) }
        let limit = min(max(limit, 1), limitMax)
        let after = after ?? RefusalCursor(at: ListCursor.newest.at, number: .max)
        let rows = try await tx.rows(
            """
            select r.app_id, r.refusal_no, r.received_at, r.reason, r.detail, r.notification_uuid, r.bytes,
              r.user_agent, r.forwarded_for
            from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
            cross join lateral (
              select r.app_id, r.refusal_no, r.received_at, r.reason, r.detail, r.notification_uuid, r.bytes,
                r.user_agent, r.forwarded_for
              from refunds.refusals r
              where r.app_id = a.app_id
                and (r.received_at, r.refusal_no) < (\(after.at)::timestamptz, \(after.number)::int8)
              order by r.received_at desc, r.refusal_no desc
              limit \(limit + 1)) r
            order by r.received_at desc, r.refusal_no desc, r.app_id
            limit \(limit + 1)
            """)
        let refusals = try rows.prefix(limit).map { try RefusalLine($0) }
        let next = rows.count > limit ? refusals.last.map { RefusalCursor(at: $0.receivedAt, number: $0.number) } : nil
        return RefusalPage(refusals: refusals, next: next)
    }

    /// How often each reason occurred since a moment, most frequent first; stored or only counted.
    static func counts(
        of tenant: TenantID, apps: [AppID], since: Moment, in tx: Transaction
    ) async throws -> [RefusalCount] {
        try await tx.rows(
            """
            select reason, sum(n)::int8 as n
            from refunds.refusal_counts
            where app_id = any(\(apps.map(\.rawValue))::int8[]) and hour >= \(since)
            group by reason
            order by 2 desc, reason
            limit 20
            """
        ).map { RefusalCount(reason: try $0("reason"), count: try $0("n")) }
    }
}

extension RefusalLine {
    init(_ row: Row) throws {
        let bytes: Int32 = try row("bytes")
        self.init(
            app: AppID(rawValue: try row("app_id")), number: try row("refusal_no"),
            receivedAt: try row("received_at"), reason: try row("reason"), detail: try row("detail"),
            notificationID: try row("notification_uuid"), bytes: Int(bytes), userAgent: try row("user_agent"),
            forwardedFor: try row("forwarded_for"))
    }
}

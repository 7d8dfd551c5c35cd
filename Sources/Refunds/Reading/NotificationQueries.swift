import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL that reads notifications, for pages.
enum NotificationQueries {
    static let limitMax = 100

    static let columns: SQL = """
        n.notification_uuid, n.app_id, n.environment, n.type, n.subtype, n.signed_at, n.received_at, n.source,
        n.deliveries, n.standing, n.transaction_id
        """

    /// Notifications of the named apps, newest first, from behind the cursor on.
    static func list(
        of tenant: TenantID, apps: [AppID], isSandbox: Bool?, after: ListCursor?, limit: Int, in tx: Transaction
    ) async throws -> NotificationPage {
        if apps.isEmpty { return NotificationPage(notifications: [], next: nil) }
        let limit = min(max(limit, 1), limitMax)
        let rows = try await tx.rows(
            page(apps: apps, isSandbox: isSandbox, after: after ?? .newest, limit: limit + 1))
        let lines = try rows.prefix(limit).map { try NotificationLine($0) }
        let next = rows.count > limit ? lines.last.map { ListCursor(at: $0.receivedAt, id: $0.id) } : nil
        return NotificationPage(notifications: lines, next: next)
    }

    static func page(apps: [AppID], isSandbox: Bool?, after: ListCursor, limit: Int) -> SQL {
        let environment: SQL =
            isSandbox.map { "and n.environment = \($0 ? "Sandbox" : "Production")" } ?? ""
        return """
            select \(columns)
            from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
            cross join lateral (
              select \(columns)
              from refunds.notifications n
              where n.app_id = a.app_id
                and (n.received_at, n.notification_uuid) < (\(after.at)::timestamptz, \(after.id)::uuid)
                \(environment)
              order by n.received_at desc, n.notification_uuid desc
              limit \(limit)) n
            order by n.received_at desc, n.notification_uuid desc
            limit \(limit)
            """
    }

    /// One notification, what it says, and its case.
    static func story(
        of tenant: TenantID, apps: [AppID], id: UUID, in tx: Transaction
    ) async throws -> NotificationStory? {
        guard
            let row = try await tx.rows(
                """
                select \(columns), n.send_attempts, b.form, b.headers, b.signature, b.body, c.case_id
                from refunds.notifications n
                left join refunds.notification_bodies b
                  on b.tenant_id = n.tenant_id and b.app_id = n.app_id
                  and b.notification_uuid = n.notification_uuid and b.received_at = n.received_at
                left join refunds.cases c
                  on c.tenant_id = n.tenant_id and c.app_id = n.app_id and c.environment = n.environment
                  and c.transaction_id = n.transaction_id
                where n.app_id = any(\(apps.map(\.rawValue))::int8[]) and n.notification_uuid = \(id)
                order by n.received_at desc
                limit 1
                """
            ).first
        else { return nil }
        let line = try NotificationLine(row)
        let said = try await text(row, in: tx).flatMap { SignedContent($0, showsParts: line.standing.isVerifiedInside) }
        return NotificationStory(
            line: line, payload: said?.payload, parts: said?.parts ?? [], caseID: try row("case_id"),
            sendAttempts: KeptAttempt.read(try row("send_attempts")).map {
                ($0.at.map(Moment.init(milliseconds:)), $0.result)
            })
    }

    /// The signed text as it was received; nil once its body was forgotten.
    private static func text(_ row: Row, in tx: Transaction) async throws -> [UInt8]? {
        guard let stored = try StoredNotification(row) else { return nil }
        var headers: [Int32: [UInt8]] = [:]
        if !stored.headers.isEmpty {
            let rows = try await tx.rows(
                """
                select header_no, header
                from refunds.signature_headers
                where header_no = any(\(stored.headers)::int4[])
                order by header_no
                limit 32
                """)
            for row in rows { headers[try row("header_no")] = try row("header") }
        }
        return stored.text { headers[$0] }
    }
}

extension NotificationLine.Standing {
    /// The worker verified what is signed inside.
    fileprivate var isVerifiedInside: Bool { self == .acted || self == .nothingToDo }
}

extension NotificationLine {
    init(_ row: Row) throws {
        let environment: String = try row("environment")
        let deliveries: Int32 = try row("deliveries")
        self.init(
            id: try row("notification_uuid"), app: AppID(rawValue: try row("app_id")),
            isSandbox: environment == "Sandbox", type: try row("type"), subtype: try row("subtype"),
            signedAt: try row("signed_at"), receivedAt: try row("received_at"), source: try row("source"),
            deliveries: Int(deliveries), standing: try row.word("standing"),
            transactionID: try row("transaction_id"))
    }
}

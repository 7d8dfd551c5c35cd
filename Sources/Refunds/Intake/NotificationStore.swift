import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of notifications.
enum NotificationStore {
    /// What is made durable of one delivery.
    struct NewRow: Sendable {
        let tenant: TenantID
        let app: AppID
        let uuid: UUID
        let environment: Environment
        let type: String
        let subtype: String?
        let signedAt: Moment
        let receivedAt: Moment
        let lane: Int64
        /// Of the job that reads it: who reads soonest.
        var deadline: Moment
        let form: StoredNotification
        /// What stood around the signed text, where it was not the usual.
        let wrapping: [UInt8]?
    }

    /// Until when a notification that asks for nothing should have been read; orders the queue.
    static let readWithin: Duration = .hours(24)

    enum Standing: String, Sendable {
        case stored, acted
        case nothingToDo = "nothing-to-do"
        case setAside = "set-aside"
    }

    /// A notification as a job finds it.
    struct Stored: Sendable {
        let tenant: TenantID
        let app: AppID
        let uuid: UUID
        let environment: Environment
        let signedAt: Moment
        let receivedAt: Moment
        let standing: Standing
        let factSource: CaseFact.Source
        let form: StoredNotification
    }

    private struct Key: Hashable, Comparable {
        let app: Int64
        let uuid: UUID
        static func < (a: Key, b: Key) -> Bool { (a.app, a.uuid) < (b.app, b.uuid) }
    }

    /// Writes a batch of deliveries, with a job for each that is new, in one statement and one commit.
    ///
    /// - Returns: for each delivery how often its notification has been delivered by now, and whether this
    ///   batch was the first to bring it.
    static func write(_ items: [NewRow], database: Database) async throws -> [Receipt] {
        // Copies are added up first: `on conflict do update` refuses two of a kind. Sorted, because two
        // batches with the same keys in different order would wait for each other for ever.
        var copies: [Key: (row: NewRow, count: Int32)] = [:]
        for item in items { copies[key(item), default: (item, 0)].count += 1 }
        let sorted = copies.sorted { $0.key < $1.key }.map(\.value)
        let rows = try await database.rows(.intake, statement(sorted), within: .seconds(5))
        var deliveries: [Key: Int32] = [:]
        for row in rows {
            deliveries[Key(app: try row("app_id"), uuid: try row("notification_uuid"))] = try row("deliveries")
        }
        return try items.map { item in
            guard let count = deliveries[key(item)], let mine = copies[key(item)]?.count else {
                throw PostgresError(.misuse, "a delivery was not written")
            }
            return Receipt(deliveries: Int(count), isFirst: count == mine)
        }
    }

    struct Receipt: Sendable {
        let deliveries: Int
        let isFirst: Bool
    }

    private static func key(_ item: NewRow) -> Key { Key(app: item.app.rawValue, uuid: item.uuid) }

    private static func statement(_ rows: [(row: NewRow, count: Int32)]) -> SQL {
        let items = rows.map(\.row)
        // An array of arrays must be rectangular, so the numbers of the headers travel as text.
        let headers = items.map { "{" + $0.form.headers.map(String.init).joined(separator: ",") + "}" }
        return """
            with x as materialized (
              select *
              from unnest(
                \(items.map(\.tenant.rawValue)), \(items.map(\.app.rawValue)), \(items.map(\.uuid)),
                \(items.map(\.environment.rawValue)), \(items.map(\.type)), \(items.map(\.subtype)),
                \(items.map(\.signedAt)), \(items.map(\.receivedAt)), \(rows.map(\.count)), \(items.map(\.lane)),
                \(items.map(\.deadline)), \(items.map(\.form.form.rawValue)), \(headers),
                \(items.map(\.form.signature)), \(items.map(\.form.body)), \(items.map(\.wrapping)))
                as x(tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, copies,
                     lane, deadline, form, headers, signature, body, wrapping)),
            n as (
              insert into refunds.notifications as n
                (tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, deliveries)
              select tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, copies
              from x
              order by app_id, notification_uuid
              on conflict (tenant_id, app_id, notification_uuid)
                do update set deliveries = n.deliveries + excluded.deliveries
              returning n.tenant_id, n.app_id, n.notification_uuid, n.received_at, n.deliveries),
            fresh as (
              select x.tenant_id, x.app_id, x.notification_uuid, n.received_at, x.lane, x.deadline, x.form, x.headers,
                x.signature, x.body, x.wrapping
              from n
              join x using (tenant_id, app_id, notification_uuid)
              where n.deliveries = x.copies),
            b as (
              insert into refunds.notification_bodies
                (tenant_id, app_id, notification_uuid, received_at, form, headers, signature, body, wrapping)
              select tenant_id, app_id, notification_uuid, received_at, form, headers::int[], signature, body, wrapping
              from fresh),
            j as (
              insert into queue.jobs (tenant_id, lane, kind, subject, run_at, deadline)
              select tenant_id, lane, \(RefundJobs.Kind.notification.rawValue),
                '{"app":' || app_id || ',"notification":"' || notification_uuid || '"}', received_at, deadline
              from fresh)
            select app_id, notification_uuid, deliveries
            from n
            """
    }

    /// The notification a job is about; nil when it was forgotten.
    static func read(_ uuid: UUID, app: AppID, tenant: TenantID, database: Database) async throws -> Stored? {
        let rows = try await database.rows(
            tenant.scope,
            """
            select n.environment, n.signed_at, n.received_at, n.standing, n.source, b.form, b.headers, b.signature, b.body
            from refunds.notifications n
            join refunds.notification_bodies b
              on b.tenant_id = n.tenant_id and b.app_id = n.app_id and b.notification_uuid = n.notification_uuid
              and b.received_at = n.received_at
            where n.tenant_id = \(tenant.rawValue) and n.app_id = \(app.rawValue) and n.notification_uuid = \(uuid)
            """)
        guard let row = rows.first else { return nil }
        let form: Int16 = try row("form")
        let standing: String = try row("standing")
        let source: String = try row("source")
        return Stored(
            tenant: tenant, app: app, uuid: uuid, environment: try Environment(stored: row("environment")),
            signedAt: try row("signed_at"), receivedAt: try row("received_at"),
            standing: Standing(rawValue: standing) ?? .setAside,
            factSource: CaseFact.Source(ofNotification: source),
            form: StoredNotification(
                form: StoredNotification.Form(rawValue: form) ?? .asReceived, headers: try row("headers"),
                signature: try row("signature"), body: try row("body")))
    }

    static func mark(
        _ stored: Stored, _ standing: Standing, transaction: String?, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.notifications
            set standing = \(standing.rawValue), transaction_id = \(transaction)
            where tenant_id = \(stored.tenant.rawValue) and app_id = \(stored.app.rawValue)
              and notification_uuid = \(stored.uuid)
            """)
    }
}

extension NotificationStore.NewRow {
    /// - Parameter headerNumber: the row of the outer header, whose chain was verified.
    init(
        _ verified: VerifiedNotification, headerNumber: Int32, wrapping: [UInt8]?, of app: App, at now: Moment
    ) {
        let isRequest = verified.payload.type == .consumptionRequest
        let window = ReplyWindow(signedAt: verified.signedAt, firstReceivedAt: now, environment: verified.environment)
        self.init(
            tenant: app.tenant, app: app.id, uuid: verified.uuid, environment: verified.environment,
            type: Text.kept(verified.type, bytesMax: 200),
            subtype: verified.payload.subtype.map { Text.kept($0, bytesMax: 200) }, signedAt: verified.signedAt,
            receivedAt: now, lane: App.lane(app.id, isSandbox: verified.environment == .sandbox),
            deadline: isRequest ? window.end : now + NotificationStore.readWithin,
            form: .packing(verified.jws, headerNumber: headerNumber), wrapping: wrapping)
    }
}

extension CaseFact.Source {
    /// - Parameter source: as the notification's row has it.
    init(ofNotification source: String) {
        self =
            switch source {
            case "history": .history
            case "import": .imported
            default: .notification
            }
    }
}

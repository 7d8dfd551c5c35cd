import AppStore
import FoundationEssentials
import Postgres
import Tenants

/// The SQL of notifications that Apple's history names.
extension NotificationStore {
    struct Named: Sendable {
        let uuid: UUID
        /// It had not arrived.
        let isNew: Bool
    }

    /// Stores what is new, with a job for each, and notes of the rest that the history names it. Tenant scope.
    ///
    /// What somebody else holds locked is passed over: it is named again by the next window, and waiting here for a
    /// batch of deliveries that waits for us would be waiting in a circle.
    ///
    /// - Parameters:
    ///   - attempts: Apple's attempts to deliver each row, as JSON.
    ///   - source: `import` for the time before the app was added.
    /// - Returns: those that are named for the first time.
    static func fetch(
        _ rows: [NewRow], attempts: [String], source: String = "history", in tx: Transaction
    ) async throws -> [Named] {
        guard !rows.isEmpty, rows.count == attempts.count else { return [] }
        let headers = rows.map { "{" + $0.form.headers.map(String.init).joined(separator: ",") + "}" }
        return try await tx.rows(
            """
            with x as materialized (
              select *
              from unnest(
                \(rows.map(\.tenant.rawValue)), \(rows.map(\.app.rawValue)), \(rows.map(\.uuid)),
                \(rows.map(\.environment.rawValue)), \(rows.map(\.type)), \(rows.map(\.subtype)),
                \(rows.map(\.signedAt)), \(rows.map(\.receivedAt)), \(attempts), \(rows.map(\.lane)),
                \(rows.map(\.deadline)), \(rows.map(\.form.form.rawValue)), \(headers),
                \(rows.map(\.form.signature)), \(rows.map(\.form.body)))
                as x(tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, attempts,
                     lane, deadline, form, headers, signature, body)),
            n as (
              insert into refunds.notifications as n
                (tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, source,
                 listed_at, send_attempts)
              select tenant_id, app_id, notification_uuid, environment, type, subtype, signed_at, received_at, \(source),
                received_at, attempts
              from x
              order by app_id, notification_uuid
              on conflict (tenant_id, app_id, notification_uuid) do nothing
              returning n.tenant_id, n.app_id, n.notification_uuid),
            b as (
              insert into refunds.notification_bodies
                (tenant_id, app_id, notification_uuid, received_at, form, headers, signature, body)
              select tenant_id, app_id, notification_uuid, x.received_at, x.form, x.headers::int[], x.signature, x.body
              from n
              join x using (tenant_id, app_id, notification_uuid)),
            j as (
              insert into queue.jobs (tenant_id, lane, kind, subject, run_at, deadline)
              select tenant_id, x.lane, \(RefundJobs.Kind.notification.rawValue),
                '{"app":' || app_id || ',"notification":"' || notification_uuid || '"}', x.received_at, x.deadline
              from n
              join x using (tenant_id, app_id, notification_uuid)),
            k as materialized (
              select h.tenant_id, h.app_id, h.notification_uuid, x.received_at
              from refunds.notifications h
              join x using (tenant_id, app_id, notification_uuid)
              where h.listed_at is null
              for update of h skip locked),
            u as (
              update refunds.notifications h
              set listed_at = k.received_at
              from k
              where h.tenant_id = k.tenant_id and h.app_id = k.app_id and h.notification_uuid = k.notification_uuid
              returning h.notification_uuid)
            select notification_uuid, true as is_new from n
            union all
            select notification_uuid, false from u
            """
        ).map { Named(uuid: try $0("notification_uuid"), isNew: try $0("is_new")) }
    }
}

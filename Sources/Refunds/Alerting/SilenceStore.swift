import Postgres
import Tenants
import Time

/// The SQL of listening: how often an app hears from Apple, and whether it stopped.
enum SilenceStore {
    struct Heard {
        let type: String
        let newest: Moment
        let usualGap: Duration?
    }

    /// How many notifications of an app are looked at to learn its rhythm.
    static let sampleMax: Int64 = 20_000

    /// By type, from the newest notifications of four weeks; TEST is none that Apple sends by itself.
    static func rhythms(of app: App, at now: Moment, in tx: Transaction) async throws -> [Heard] {
        let rows = try await tx.rows(
            """
            select x.type, x.received_at
            from (
              select type, received_at, notification_uuid
              from refunds.notifications
              where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                and received_at > \(now - Rhythm.remembered) and environment = 'Production' and type <> 'TEST'
                and source = 'posted'
              order by received_at desc, notification_uuid desc
              limit \(sampleMax)) x
            """)
        var moments: [String: [Moment]] = [:]
        for row in rows { moments[try row("type"), default: []].append(try row("received_at")) }
        return moments.compactMap { type, moments in
            moments.max().map { Heard(type: type, newest: $0, usualGap: Rhythm.usualGap(moments, at: now)) }
        }
    }

    /// The newest notification of any kind; nil where there is none.
    static func newest(of app: App, in tx: Transaction) async throws -> Moment? {
        try await tx.row(
            """
            select received_at
            from refunds.notifications
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and source = 'posted'
            order by received_at desc, notification_uuid desc
            limit 1
            """)?("received_at")
    }

    /// The newest of a type.
    static func newest(of app: App, type: String, at now: Moment, in tx: Transaction) async throws -> Moment? {
        try await tx.row(
            """
            select max(received_at) as received_at
            from (
              select received_at, type, environment
              from refunds.notifications
              where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                and received_at > \(now - Rhythm.remembered) and source = 'posted'
              order by received_at desc, notification_uuid desc
              limit 2000) x
            where type = \(type) and environment = 'Production'
            """)?("received_at")
    }

    struct Standing {
        let lastAt: Moment
        let noticedAt: Moment
        let heardAt: Moment?
    }

    static func standing(of app: App, in tx: Transaction) async throws -> Standing? {
        try await tx.row(
            """
            select last_at, noticed_at, heard_at
            from refunds.silences
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """
        ).map { Standing(lastAt: try $0("last_at"), noticedAt: try $0("noticed_at"), heardAt: try $0("heard_at")) }
    }

    /// - Parameter impossible: why no TEST notification could be asked for; nil where it was.
    static func notice(
        _ app: App, lastAt: Moment, usualGap: Duration, impossible: String?, at now: Moment, in tx: Transaction
    ) async throws {
        let seconds = usualGap.wholeMilliseconds / 1000
        let why = impossible.map { Text.kept($0, bytesMax: 500) }
        try await tx.execute(
            """
            insert into refunds.silences as s
              (tenant_id, app_id, last_at, usual_gap_s, noticed_at, asked_at, impossible, heard_at)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(lastAt), \(seconds), \(now),
              \(impossible == nil ? now : nil), \(why), null)
            on conflict (tenant_id, app_id) do update
            set last_at = excluded.last_at, usual_gap_s = excluded.usual_gap_s, noticed_at = excluded.noticed_at,
              asked_at = excluded.asked_at, impossible = excluded.impossible, heard_at = null
            """)
    }

    /// Something came, the TEST notification among it.
    static func heard(_ app: App, at moment: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.silences
            set heard_at = \(moment)
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and heard_at is null
            """)
    }
}

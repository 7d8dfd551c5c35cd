import AppStore
import Postgres
import Queue
import Tenants
import Time

/// The SQL of reading Apple's notification history.
enum HistoryStore {
    /// Locks how far the history of an app is read; nil where it is not read: of a closed tenant, too.
    static func lock(
        _ app: AppID, _ environment: Environment, tenant: TenantID, in tx: Transaction
    ) async throws -> History? {
        let row = try await tx.row(
            """
            select began_at, heard_at, due_at, failures_to, all_to, sweep_to, pass, pass_from, pass_to, token, pages,
              seen, restarted, span, failures, incomplete, trouble, trouble_since, swept_at, fetched_at, fetched_count,
              lost_from, lost_to, turn
            from refunds.histories
            where \(mine(app, environment, tenant))
              and exists (select from tenants.tenants t where t.tenant_id = \(tenant.rawValue) and t.closed_at is null)
            for update
            """)
        return try row.map { try History($0, environment) }
    }

    static func save(
        _ history: History, of app: AppID, tenant: TenantID, in tx: Transaction
    ) async throws {
        let reading = history.reading
        try await tx.execute(
            """
            update refunds.histories
            set heard_at = \(history.heardAt), due_at = \(history.dueAt), failures_to = \(history.failuresTo),
              all_to = \(history.allTo), sweep_to = \(history.sweepTo), pass = \(reading?.pass.rawValue),
              pass_from = \(reading?.from), pass_to = \(reading?.to), token = \(reading?.token),
              pages = \(Int32(clamping: reading?.pages ?? 0)), seen = \(Marks.bytes(reading?.seen ?? [])),
              restarted = \(reading?.isRestarted ?? false), span = \(history.span),
              failures = \(Int32(clamping: history.failures)), incomplete = \(history.isIncomplete),
              trouble = \(history.trouble), trouble_since = \(history.troubleSince), swept_at = \(history.sweptAt),
              fetched_at = \(history.fetchedAt), fetched_count = \(history.fetchedCount),
              lost_from = \(history.lostFrom), lost_to = \(history.lostTo), turn = \(history.turn)
            where \(mine(app, history.environment, tenant))
            """)
    }

    /// When Apple first delivered something here, looked for among what arrived after `moment`.
    ///
    /// By the date of signing, where that is near: of a late retry only the time of its coming tells anything.
    static func firstPosted(
        to app: AppID, _ environment: Environment, after moment: Moment?, tenant: TenantID, in tx: Transaction
    ) async throws -> Moment? {
        let row = try await tx.row(
            """
            select greatest(signed_at, received_at - interval '1 minute') as heard
            from refunds.notifications
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and received_at > \(moment ?? Moment(milliseconds: 0)) and environment = \(environment.rawValue)
              and source = 'posted'
            order by received_at
            limit 1
            """)
        return try row?("heard")
    }

    /// What a page named, by the day of its signing.
    struct Tally: Sendable, Hashable {
        var held: Int64 = 0
        var fetched: Int64 = 0
        var refused: Int64 = 0
    }

    static func day(_ moment: Moment) -> Moment {
        Moment(milliseconds: moment.milliseconds / 86_400_000 * 86_400_000)
    }

    static func add(
        _ tallies: [Moment: Tally], of app: AppID, _ environment: Environment, tenant: TenantID, in tx: Transaction
    ) async throws {
        for (day, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            try await tx.execute(
                """
                insert into refunds.history_days as d (tenant_id, app_id, environment, day, held, fetched, refused)
                values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(day), \(tally.held),
                  \(tally.fetched), \(tally.refused))
                on conflict (tenant_id, app_id, environment, day) do update
                  set held = d.held + excluded.held, fetched = d.fetched + excluded.fetched,
                    refused = d.refused + excluded.refused
                """)
        }
    }

    /// Whether a text stands in the app's quarantine: what Apple lists again is not counted again.
    static func isRefused(_ sha256: [UInt8], of app: AppID, tenant: TenantID, in tx: Transaction) async throws -> Bool {
        try await tx.row(
            """
            select 1 as one
            from refunds.refusals
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and body_sha256 = \(sha256)
            limit 1
            """) != nil
    }

    private static func mine(_ app: AppID, _ environment: Environment, _ tenant: TenantID) -> SQL {
        """
        tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and environment = \(environment.rawValue)
        """
    }
}

extension History {
    init(_ row: Row, _ environment: Environment) throws {
        self.init(environment: environment, beganAt: try row("began_at"), dueAt: try row("due_at"))
        heardAt = try row("heard_at")
        failuresTo = try row("failures_to")
        allTo = try row("all_to")
        sweepTo = try row("sweep_to")
        let pass: String? = try row("pass")
        if let pass = pass.flatMap(Pass.init) {
            let pages: Int32 = try row("pages")
            reading = Reading(
                pass: pass, from: try row("pass_from"), to: try row("pass_to"), token: try row("token"),
                pages: Int(pages), seen: Marks.numbers(try row("seen")), isRestarted: try row("restarted"))
        }
        span = try row("span")
        let failed: Int32 = try row("failures")
        failures = Int(failed)
        isIncomplete = try row("incomplete")
        trouble = try row("trouble")
        troubleSince = try row("trouble_since")
        sweptAt = try row("swept_at")
        fetchedAt = try row("fetched_at")
        fetchedCount = try row("fetched_count")
        lostFrom = try row("lost_from")
        lostTo = try row("lost_to")
        turn = try row("turn")
    }
}

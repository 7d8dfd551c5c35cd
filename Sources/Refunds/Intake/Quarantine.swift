import AppStore
import Crypto
import FoundationEssentials
package import Journal
package import Postgres
import Synchronization
import Tenants
package import Time

/// One refused delivery, with what is kept of it.
struct Refusal: Sendable {
    let reason: String
    let detail: String
    /// The signed text; nil where the body may hold anything else: nothing of it is kept then.
    let body: [UInt8]?
    let sha256: [UInt8]
    let bytes: Int
    /// Set where an accepted notification was set aside later.
    let notification: UUID?
    let meta: DeliveryMeta?

    init(reason: String, detail: String, body: [UInt8]?, notification: UUID? = nil, meta: DeliveryMeta?) {
        self.reason = reason
        self.detail = detail
        self.body = body
        sha256 = Digest.sha256(body ?? [])
        bytes = body?.count ?? 0
        self.notification = notification
        self.meta = meta
    }

    init(reason: String, detail: String, withholding body: [UInt8], meta: DeliveryMeta?) {
        self.reason = reason
        self.detail = detail
        self.body = nil
        sha256 = Digest.sha256(body)
        bytes = body.count
        notification = nil
        self.meta = meta
    }
}

/// Refused deliveries, kept for people to look at: a ring for each app, so that a flood of forgeries
/// overwrites itself, and counts by hour and reason.
package final class Quarantine: Sendable {
    /// Refusals of an app that are stored in one second; the rest are only counted.
    static let storedPerSecondMax = 10
    /// Larger bodies are kept as their digest and length.
    static let bodyBytesMax = 64 * 1024
    private static let appsRememberedMax = 10_000

    private struct Tally {
        var tenant: TenantID?
        var second: Int64 = 0
        var stored = 0
        /// By hour and reason, not written yet.
        var counts: [Moment: [String: Int64]] = [:]
        var isFlushing = false
        var audited: [String: Moment] = [:]
    }

    private let database: Database
    private let clock: WallClock
    private let journal: Journal
    private let counters: Counters
    private let tallies = Mutex<[AppID: Tally]>([:])

    package init(database: Database, clock: WallClock, journal: Journal, counters: Counters) {
        self.database = database
        self.clock = clock
        self.journal = journal
        self.counters = counters
    }

    /// Keeps or counts a refusal. Trouble with the database costs the record and not the answer.
    func refuse(_ refusal: Refusal, of app: App, inboxID: Int64, isMisdirected: Bool, at now: Moment) async {
        counters.count(
            "deliveries_refused_total", ["reason": refusal.reason], of: app, help: "Refused deliveries, by reason.")
        let plan = plan(refusal, of: app, isMisdirected: isMisdirected, at: now)
        guard plan.isStored else {
            if plan.flushes { flushSoon(app) }
            return
        }
        do {
            try await database.transaction(app.tenant.scope, within: .seconds(2)) { tx in
                try await Self.store(refusal, of: app, counts: plan.counts[Self.hour(now)] ?? [:], at: now, in: tx)
                try await Self.count(plan.counts.filter { $0.key != Self.hour(now) }, of: app, in: tx)
                if plan.isAudited {
                    // Names no more than where it came in: nothing of the payload.
                    try await Audit.write(
                        AuditEntry(
                            tenant: app.tenant, at: now, actor: .program, action: "notification.misdirected",
                            subject: "\(app.id)",
                            detail: ["inbox": .number(inboxID), "reason": .text(refusal.reason)]),
                        in: tx)
                }
            }
        } catch {
            giveBack(plan.counts, of: app)
            journal.error(
                "a refused delivery could not be recorded",
                ["tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue), "error": .init(error)])
        }
    }

    /// Writes what was only counted; before the program ends.
    package func flush() async {
        let apps = tallies.withLock { Array($0.filter { !$0.value.counts.isEmpty }.keys) }
        for app in apps { await flush(app) }
    }

    private struct Plan {
        var isStored = false
        var isAudited = false
        var flushes = false
        var counts: [Moment: [String: Int64]] = [:]
    }

    private func plan(_ refusal: Refusal, of app: App, isMisdirected: Bool, at now: Moment) -> Plan {
        tallies.withLock { tallies in
            if tallies.count >= Self.appsRememberedMax {
                tallies = tallies.filter { !$0.value.counts.isEmpty || $0.value.second >= now.seconds - 60 }
            }
            var tally = tallies[app.id] ?? Tally()
            defer { tallies[app.id] = tally }
            tally.tenant = app.tenant
            tally.counts[Self.hour(now), default: [:]][refusal.reason, default: 0] += 1
            if tally.second != now.seconds {
                tally.second = now.seconds
                tally.stored = 0
            }
            var plan = Plan()
            guard tally.stored < Self.storedPerSecondMax else {
                plan.flushes = !tally.isFlushing
                tally.isFlushing = true
                return plan
            }
            tally.stored += 1
            plan.isStored = true
            plan.counts = tally.counts
            tally.counts = [:]
            if isMisdirected {
                // One line for each app that is sent here by mistake, not one for each of its notifications.
                tally.audited = tally.audited.filter { now - $0.value < .hours(1) }
                if tally.audited[refusal.detail] == nil, tally.audited.count < 100 {
                    tally.audited[refusal.detail] = now
                    plan.isAudited = true
                }
            }
            return plan
        }
    }

    private func giveBack(_ counts: [Moment: [String: Int64]], of app: App) {
        tallies.withLock { tallies in
            for (hour, reasons) in counts {
                for (reason, n) in reasons {
                    tallies[app.id, default: Tally()].counts[hour, default: [:]][reason, default: 0] += n
                }
            }
        }
    }

    /// The tail of a flood is written a second later, off the answer's way.
    private func flushSoon(_ app: App) {
        Task {
            try? await Task.sleep(for: .seconds(1))
            await self.flush(app.id)
        }
    }

    private func flush(_ app: AppID) async {
        let found = tallies.withLock { tallies -> (TenantID, [Moment: [String: Int64]])? in
            guard var tally = tallies[app], let tenant = tally.tenant else { return nil }
            let counts = tally.counts
            tally.counts = [:]
            tally.isFlushing = false
            tallies[app] = tally
            return (tenant, counts)
        }
        guard let (tenant, counts) = found, !counts.isEmpty else { return }
        do {
            try await database.transaction(tenant.scope, within: .seconds(2)) { tx in
                try await Self.count(counts, of: app, tenant: tenant, in: tx)
            }
        } catch {
            journal.error(
                "refused deliveries could not be counted",
                ["tenant": .init(tenant.rawValue), "app": .init(app.rawValue), "error": .init(error)])
        }
    }

    // MARK: SQL

    private static func hour(_ moment: Moment) -> Moment {
        Moment(milliseconds: moment.milliseconds / 3_600_000 * 3_600_000)
    }

    /// Overwrites the ring's oldest slot.
    static func store(
        _ refusal: Refusal, of app: App, counts: [String: Int64], at now: Moment, in tx: Transaction
    ) async throws {
        let (tenant, id) = (app.tenant.rawValue, app.id.rawValue)
        let body = refusal.body.flatMap { $0.count <= bodyBytesMax ? $0 : nil }
        let allowance = Int64(app.refusalAllowance)
        try await tx.execute(
            """
            with head as (
              insert into refunds.refusal_heads as h (tenant_id, app_id, seen)
              values (\(tenant), \(id), 1)
              on conflict (tenant_id, app_id) do update set seen = h.seen + 1
              returning h.seen)
            insert into refunds.refusals as r
              (tenant_id, app_id, slot, refusal_no, received_at, reason, detail, notification_uuid, body_sha256, bytes,
               body, user_agent, forwarded_for)
            select \(tenant), \(id), (head.seen - 1) % \(allowance), head.seen, \(now), \(refusal.reason),
              \(Text.kept(refusal.detail, bytesMax: 2000)), \(refusal.notification), \(refusal.sha256),
              \(Int32(clamping: refusal.bytes)), \(body),
              \(refusal.meta?.userAgent.map { Text.kept($0, bytesMax: 500) }),
              \(refusal.meta.map { Text.kept($0.forwardedFor ?? $0.peer, bytesMax: 500) })
            from head
            on conflict (tenant_id, app_id, slot) do update
              set refusal_no = excluded.refusal_no, received_at = excluded.received_at, reason = excluded.reason,
                detail = excluded.detail, notification_uuid = excluded.notification_uuid,
                body_sha256 = excluded.body_sha256, bytes = excluded.bytes, body = excluded.body,
                user_agent = excluded.user_agent, forwarded_for = excluded.forwarded_for
            """)
        // An allowance that was made smaller leaves slots behind.
        try await tx.execute(
            """
            delete from refunds.refusals
            where tenant_id = \(tenant) and app_id = \(id) and slot >= \(allowance)
            """)
        try await count([hour(now): counts], of: app.id, tenant: app.tenant, in: tx)
    }

    private static func count(_ counts: [Moment: [String: Int64]], of app: App, in tx: Transaction) async throws {
        try await count(counts, of: app.id, tenant: app.tenant, in: tx)
    }

    private static func count(
        _ counts: [Moment: [String: Int64]], of app: AppID, tenant: TenantID, in tx: Transaction
    ) async throws {
        for (hour, reasons) in counts.sorted(by: { $0.key < $1.key }) {
            for (reason, n) in reasons.sorted(by: { $0.key < $1.key }) {
                try await tx.execute(
                    """
                    insert into refunds.refusal_counts as c (tenant_id, app_id, hour, reason, n)
                    values (\(tenant.rawValue), \(app.rawValue), \(hour), \(reason), \(n))
                    on conflict (tenant_id, app_id, hour, reason) do update set n = c.n + excluded.n
                    """)
            }
        }
    }
}

package import Postgres
package import Time

/// One app in one environment: Apple's rate limits and refusals are per lane.
///
/// The calls of Advanced Commerce that move money have a tenth of the other calls' limit and lanes of their own,
/// so that neither kind waits for the other.
package enum Lane {
    /// Lanes of commerce are numbered from here on.
    private static let commerceBase: Int64 = 1 << 40
    /// Lanes of Apple's own records are numbered from here on: their calls have a fifth of the other calls' limit, and no
    /// reply waits for one.
    private static let recordsBase: Int64 = 1 << 45
    /// Lanes of a tenant's own messages are numbered from here on.
    private static let alertsBase: Int64 = 1 << 50

    /// Lanes of what a tenant's people have computed are numbered from here on.
    private static let deskBase: Int64 = 1 << 51

    package static func number(app: Int64, isSandbox: Bool) -> Int64 { app * 2 + (isSandbox ? 1 : 0) }
    package static func commerce(app: Int64, isSandbox: Bool) -> Int64 {
        commerceBase + number(app: app, isSandbox: isSandbox)
    }
    /// Histories of customers' purchases and refunds, and orders.
    package static func records(app: Int64, isSandbox: Bool) -> Int64 {
        recordsBase + number(app: app, isSandbox: isSandbox)
    }
    /// What a tenant's people are told: it calls no Apple and waits for none.
    package static func alerts(tenant: Int64) -> Int64 { alertsBase + tenant }
    /// What a tenant's people have computed: it calls no Apple and waits for none.
    package static func desk(tenant: Int64) -> Int64 { deskBase + tenant }
    package static func isCommerce(_ lane: Int64) -> Bool { lane >= commerceBase && lane < recordsBase }
    private static func isRecords(_ lane: Int64) -> Bool { lane >= recordsBase && lane < alertsBase }
    package static func app(of lane: Int64) -> Int64 {
        (lane - (isCommerce(lane) ? commerceBase : isRecords(lane) ? recordsBase : 0)) >> 1
    }
    package static func isSandbox(_ lane: Int64) -> Bool { lane & 1 == 1 }

    /// A lane with a `claim_max` that made no call for so long has no connection any more.
    ///
    /// Its first call takes a handshake longer, and five on its heels would be one too many in the second in which it
    /// arrives: the second call comes one spacing later than others do.
    package static let isColdAfter: Duration = .seconds(10)

    /// Takes the right to one call to Apple.
    ///
    /// By the database's clock, so that all processes share one limit. The row stays locked to the
    /// end of the transaction.
    ///
    /// - Returns: how long to wait in memory before the call, zero included; nil when more than a
    ///   second's worth of calls is waiting already: postpone the job.
    package static func takePermit(
        _ lane: Int64, ahead: Duration = .seconds(1), in tx: Transaction
    ) async throws -> Duration? {
        for isSecondTry in [false, true] {
            if let taken = try await tx.row(permit(of: lane, ahead: ahead)) {
                return try taken("wait")
            }
            if isSecondTry { break }
            // No row, or a full one? Two first calls at once may both find none: only a second look tells.
            try await ensure(lane, in: tx)
        }
        return nil
    }

    /// The right to one call.
    package struct Permit: Sendable, Hashable {
        /// How long to wait in memory before the call, zero included.
        package let wait: Duration
        /// The same moment by the database's clock, which all processes share.
        package let moment: Moment
    }

    /// What came of asking for a permit when a turn has come.
    package enum Asked: Sendable, Hashable {
        case given(Permit)
        /// The lane is free after this time, no sooner; ask again then.
        case notYet(Duration)
    }

    /// Takes a permit whose moment has come, in a transaction of its own and one round trip; the lane's row is there.
    ///
    /// None is given ahead of its moment: what keeps calls back (`keepBehind`) reaches all that have not left.
    ///
    /// - Parameter ahead: how long before its moment a permit may be taken; a round trip or so.
    /// - Returns: nil where the lane is paused, or taken for longer than anybody waits.
    package static func askForPermit(
        _ lane: Int64, of scope: Scope, at now: Moment, ahead: Duration, on database: Database
    ) async throws -> Asked? {
        let rows = try await database.rows(
            scope,
            """
            with l as (
              select lane, free_at, clock_timestamp() as now,
                case when free_at + \(isColdAfter) < clock_timestamp() then call_spacing else interval '0' end as warming
              from queue.lanes
              where lane = \(lane) and free_at < clock_timestamp() + \(patience)
                and (paused_until is null or paused_until <= \(now))
              for update),
            g as (
              update queue.lanes q
              set free_at = greatest(l.free_at, l.now) + q.call_spacing + l.warming
              from l where q.lane = l.lane and l.free_at < l.now + \(ahead)
              returning greatest(l.free_at, l.now) as moment)
            select greatest(greatest(l.free_at, l.now) - clock_timestamp(), interval '0') as wait, g.moment
            from l left join g on true
            """)
        guard let row = rows.first else { return nil }
        let (wait, moment): (Duration, Moment?) = (try row("wait"), try row("moment"))
        return moment.map { .given(Permit(wait: wait, moment: $0)) } ?? .notYet(wait)
    }

    private static func permit(of lane: Int64, ahead: Duration) -> SQL {
        """
        with l as (
          select lane, free_at,
            case when claim_max is not null and free_at + \(isColdAfter) < clock_timestamp() then call_spacing
                 else interval '0' end as warming
          from queue.lanes
          where lane = \(lane) and free_at < clock_timestamp() + \(ahead)
          for update)
        update queue.lanes q
        set free_at = greatest(l.free_at, clock_timestamp()) + q.call_spacing + l.warming
        from l where q.lane = l.lane
        returning greatest(greatest(l.free_at, clock_timestamp()) - clock_timestamp(), interval '0') as wait
        """
    }

    /// Lets the calls of a lane that follow one which may have arrived late come so much later that none of them is
    /// one too many in the span in which it arrived.
    ///
    /// Each of them keeps its order; nothing changes where they are far enough behind anyway, or the lane never rests.
    ///
    /// - Parameters:
    ///   - permit: the late call's.
    ///   - arrived: how long ago it arrived at the latest.
    package static func keepBehind(
        _ permit: Permit, of lane: Int64, arrived: Duration, scope: Scope, on database: Database
    ) async throws {
        // The permits given since then are no more than had room. As many calls as the span may hold come before the
        // one that must be a whole span behind the late one.
        _ = try await database.rows(
            scope,
            """
            with l as (
              select lane, round(extract(epoch from free_at - \(permit.moment)) / extract(epoch from call_spacing))::float8 as given
              from queue.lanes
              where lane = \(lane) and claim_max is not null
              for update)
            update queue.lanes q
            set free_at = greatest(free_at, clock_timestamp() - \(arrived) + \(span(of: lane))
              - call_spacing * greatest(claim_max - greatest(l.given, 1), 0))
            from l where q.lane = l.lane
            returning q.lane
            """)
    }

    /// The span in which Apple counts as many calls as `claimMax`; in the Sandbox a call takes two seconds.
    private static func span(of lane: Int64) -> Duration { .seconds(isSandbox(lane) ? 2 : 1) }

    /// How long each of several calls will have to wait that take their permits one by one; no promise.
    ///
    /// - Parameter count: from 1.
    /// - Returns: nil where the first one would wait for more than two seconds.
    package static func outlook(_ count: Int, of lane: Int64, in tx: Transaction) async throws -> [Duration]? {
        for isSecondTry in [false, true] {
            let seen = try await tx.row(
                """
                select greatest(greatest(free_at, clock_timestamp()) - clock_timestamp(), interval '0') as wait, call_spacing
                from queue.lanes
                where lane = \(lane) and free_at < clock_timestamp() + interval '2 seconds'
                """)
            if let seen {
                let (first, spacing): (Duration, Duration) = (try seen("wait"), try seen("call_spacing"))
                return (0..<count).map { first + spacing * $0 }
            }
            if isSecondTry { break }
            try await ensure(lane, in: tx)
        }
        return nil
    }

    /// Why a call of a lane has no permit.
    package static func whyNone(_ lane: Int64, of scope: Scope, at now: Moment, on database: Database) async -> String {
        let why: String?
        do {
            why = try await database.rows(
                scope,
                """
                select coalesce(why, 'the lane is stopped') as why
                from queue.lanes
                where lane = \(lane) and paused_until > \(now)
                """
            ).first?("why")
        } catch {
            why = "why it has no permit could not be read: \(error)"
        }
        return why ?? "the rate limit's next permits are taken"
    }

    /// No job of the lane is claimed before `until`.
    package static func pause(_ lane: Int64, until: Moment, why: String, in tx: Transaction) async throws {
        try await ensure(lane, in: tx)
        try await tx.execute(
            "update queue.lanes set paused_until = \(until), why = \(Job.short(why)) where lane = \(lane)")
    }

    /// No job of the lane is claimed before `until`, nor before an earlier pause ends.
    package static func rest(_ lane: Int64, until: Moment, why: String, in tx: Transaction) async throws {
        try await ensure(lane, in: tx)
        try await tx.execute(
            """
            update queue.lanes
            set paused_until = greatest(paused_until, \(until)), why = \(Job.short(why))
            where lane = \(lane)
            """)
    }

    /// Ends a pause.
    package static func resume(_ lane: Int64, in tx: Transaction) async throws {
        try await tx.execute("update queue.lanes set paused_until = null, why = null where lane = \(lane)")
    }

    /// Makes the lane's row if it is missing.
    ///
    /// - Returns: whether it was missing.
    @discardableResult
    package static func ensure(_ lane: Int64, in tx: Transaction) async throws -> Bool {
        guard case .tenant(let tenant) = tx.scope else {
            throw PostgresError(.misuse, "the calls of a lane are counted in its tenant's transaction")
        }
        return try await tx.execute(
            """
            insert into queue.lanes (tenant_id, lane, app_id, environment, call_spacing, claim_max)
            values (\(tenant), \(lane), \(app(of: lane)), \(isSandbox(lane) ? "Sandbox" : "Production"),
              \(spacing(of: lane)), \(claimMax(of: lane).map(Int32.init)))
            on conflict do nothing
            """) == 1
    }

    /// How far ahead somebody's permit may be who cannot come again: the next claim's are given a second before.
    package static let patience: Duration = .seconds(3)

    /// How many jobs of a lane one claim takes; nil where the lane never rests.
    ///
    /// About a second's worth: they are begun in one transaction. In the Sandbox a second holds no two calls.
    package static func claimMax(of lane: Int64) -> Int? { isCommerce(lane) ? (isSandbox(lane) ? 1 : 5) : nil }

    /// How late after its permit's moment a call may leave; nil where it does not matter.
    ///
    /// Calls whose moments passed while the process got no CPU would leave all at once. The margin of commerce's
    /// spacing bears a delay of a tenth of it; the other calls are many and near each other, and the one too many is
    /// answered 429 and repeated.
    package static func slack(of lane: Int64) -> Duration? { isCommerce(lane) ? spacing(of: lane) / 10 : nil }

    /// How much later than others a call may arrive before those behind it must leave room: half of what the spacing
    /// leaves of a span; nil where it does not matter.
    package static func latenessBorne(by lane: Int64) -> Duration? {
        claimMax(of: lane).map { (spacing(of: lane) * $0 - span(of: lane)) / 2 }
    }

    /// Between two calls: 20 ms is Apple's 50 a second; Sandbox has a tenth of each limit.
    ///
    /// The five a second of commerce are kept with a margin of a tenth: a call that arrives later than it left, by less
    /// than 100 ms more than the fifth after it, still makes no sixth in a second. At a twentieth some did.
    ///
    /// The ten a second of Apple's records are kept with the same margin.
    package static func spacing(of lane: Int64) -> Duration {
        .milliseconds((isCommerce(lane) ? 220 : isRecords(lane) ? 110 : 20) * (isSandbox(lane) ? 10 : 1))
    }
}

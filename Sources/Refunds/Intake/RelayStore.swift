import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of what is passed on to an app's other receiver.
enum RelayStore {
    /// As long as Apple itself tries, and a little more.
    static let triedFor: Duration = .days(3)
    /// The longest wait between two tries of one notification.
    static let waitMax: Duration = .hours(1)

    /// One notification that is due.
    struct Due: Sendable {
        let uuid: UUID
        let attempts: Int
        /// Nil where the body was forgotten.
        let form: StoredNotification?
        let wrapping: [UInt8]?
    }

    /// Held shared by who adds a delivery and exclusively by the courier that ends: so that none is left behind
    /// by a courier that has just looked.
    static func lock(_ app: App, exclusively: Bool) -> SQL {
        AdvisoryLock.sql("relay \(app.tenant.rawValue) \(app.id.rawValue)", exclusively: exclusively)
    }

    /// Notes that a stored notification is to be passed on, once for each UUID, in the transaction that reads it.
    ///
    /// - Returns: whether the bell is to be rung after the commit.
    static func add(_ uuid: UUID, of app: App, at now: Moment, in tx: Transaction) async throws -> Bool {
        guard app.isRelayed else { return false }
        try await tx.execute(lock(app, exclusively: false))
        let isNew =
            try await tx.execute(
                """
                insert into refunds.relay_deliveries
                  (tenant_id, app_id, notification_uuid, state, created_at, next_attempt_at, give_up_at)
                values (\(app.tenant.rawValue), \(app.id.rawValue), \(uuid), 'waiting', \(now), \(now),
                  \(now + triedFor))
                on conflict (tenant_id, app_id, notification_uuid) do nothing
                """) == 1
        guard isNew else { return false }
        return try await sendCourier(to: app, at: now, in: tx)
    }

    /// Sees to it that the app's courier goes soon, unless the receiver is away and is left alone for a while.
    static func sendCourier(to app: App, at now: Moment, in tx: Transaction) async throws -> Bool {
        let tenant = app.tenant.rawValue
        let key = "\(app.id.rawValue)"
        let job = NewJob(
            tenant: tenant, lane: App.lane(app.id, isSandbox: false), kind: RefundJobs.Kind.relay.rawValue,
            subject: #"{"app":\#(app.id.rawValue)}"#,
            // Far away: whatever else the lane has to do goes first.
            deadline: now + .days(365), uniqueKey: key)
        if try await Enqueue.add(job, in: tx) { return true }
        let paused = try await tx.row(
            """
            select 1 as one
            from refunds.relay_standings
            where tenant_id = \(tenant) and app_id = \(app.id.rawValue) and paused_until > \(now)
            """)
        guard paused == nil else { return false }
        return try await Enqueue.hurry(
            tenant: tenant, kind: RefundJobs.Kind.relay.rawValue, uniqueKey: key, in: tx)
    }

    /// What is due, what was never tried first: one that the receiver does not like holds up no other.
    static func due(of app: App, at now: Moment, limit: Int, in tx: Transaction) async throws -> [Due] {
        try await tx.rows(
            """
            select d.notification_uuid, d.attempts, b.form, b.headers, b.signature, b.body, b.wrapping
            from refunds.relay_deliveries d
            left join refunds.notifications n
              on n.tenant_id = d.tenant_id and n.app_id = d.app_id and n.notification_uuid = d.notification_uuid
            left join refunds.notification_bodies b
              on b.tenant_id = n.tenant_id and b.app_id = n.app_id and b.notification_uuid = n.notification_uuid
              and b.received_at = n.received_at
            where d.tenant_id = \(app.tenant.rawValue) and d.app_id = \(app.id.rawValue) and d.state = 'waiting'
              and d.next_attempt_at <= \(now)
            order by d.attempts, d.created_at, d.notification_uuid
            limit \(Int64(limit))
            """
        ).map { row in
            let attempts: Int32 = try row("attempts")
            let form: Int16? = try row("form")
            return Due(
                uuid: try row("notification_uuid"), attempts: Int(attempts),
                form: try form.map { form in
                    StoredNotification(
                        form: StoredNotification.Form(rawValue: form) ?? .asReceived, headers: try row("headers"),
                        signature: try row("signature"), body: try row("body"))
                }, wrapping: try row("wrapping"))
        }
    }

    /// Records how a batch was taken; what failed for three days is given up.
    static func record(
        _ answers: [(due: Due, answer: RelayAnswer)], of app: App, at now: Moment, in tx: Transaction
    ) async throws {
        let next = answers.map { due, answer in
            now + max(RetryPolicy.delay(attempt: due.attempts + 1, ceiling: waitMax), answer.retryAfter ?? .zero)
        }
        try await tx.execute(
            """
            update refunds.relay_deliveries d
            set attempts = d.attempts + 1, last_attempt_at = \(now), status = x.status, error = x.error,
              next_attempt_at = x.next,
              state = case when x.error is null then 'delivered'
                when x.is_hopeless or d.give_up_at <= \(now) then 'given-up' else 'waiting' end
            from unnest(\(answers.map(\.due.uuid)), \(answers.map { $0.answer.status.map(Int32.init) }),
              \(answers.map { $0.answer.error.map { Text.kept($0, bytesMax: 500) } }), \(next),
              \(answers.map { $0.answer == .forgotten })) as x(notification_uuid, status, error, next, is_hopeless)
            where d.tenant_id = \(app.tenant.rawValue) and d.app_id = \(app.id.rawValue)
              and d.notification_uuid = x.notification_uuid and d.state = 'waiting'
            """)
    }

    /// Notes how the receiver does: what pages show, and how long it is left alone.
    static func note(
        successAt: Moment?, error: String?, pausedUntil: Moment?, of app: App, at now: Moment, in tx: Transaction
    ) async throws {
        let failures: Int32 = pausedUntil == nil ? 0 : 1
        let kept = error.map { Text.kept($0, bytesMax: 500) }
        try await tx.execute(
            """
            insert into refunds.relay_standings as s
              (tenant_id, app_id, failures, last_success_at, last_error, last_error_at, paused_until)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(failures), \(successAt), \(kept),
              \(error.map { _ in now }), \(pausedUntil))
            on conflict (tenant_id, app_id) do update set
              failures = case when excluded.failures = 0 then 0 else least(s.failures, 100) + 1 end,
              last_success_at = coalesce(excluded.last_success_at, s.last_success_at),
              last_error = coalesce(excluded.last_error, s.last_error),
              last_error_at = coalesce(excluded.last_error_at, s.last_error_at),
              paused_until = excluded.paused_until
            """)
    }

    /// How often in a row the receiver was away.
    static func failures(of app: App, in tx: Transaction) async throws -> Int {
        let row = try await tx.row(
            """
            select failures
            from refunds.relay_standings
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """)
        let failures: Int32 = try row?("failures") ?? 0
        return Int(failures)
    }

    /// When the next delivery is due; nil where nothing waits.
    static func next(of app: App, in tx: Transaction) async throws -> Moment? {
        try await tx.row(
            """
            select min(next_attempt_at) as next
            from refunds.relay_deliveries
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and state = 'waiting'
            """)?("next")
    }

    /// Gives up all that waits: there is no receiver any more.
    static func giveUp(_ tenant: TenantID, _ app: AppID, because why: String, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.relay_deliveries set state = 'given-up', error = \(why)
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and state = 'waiting'
            """)
    }
}

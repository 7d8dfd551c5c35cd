package import FoundationEssentials
package import Postgres
package import Tenants
package import Time

/// What pages and doctor see of the relay, and trying again by hand.
package enum RelayQueries {
    /// Deliveries that one order to try again reaches.
    static let retryMax = 1000

    /// How the other receiver does.
    package static func standing(of app: App, in tx: Transaction) async throws -> RelayStanding {
        let (tenant, id, most) = (app.tenant.rawValue, app.id.rawValue, Int64(RelayStanding.countMax))
        let found = try await tx.pipeline([
            """
            select failures, last_success_at, last_error, last_error_at, paused_until
            from refunds.relay_standings
            where tenant_id = \(tenant) and app_id = \(id)
            """,
            """
            select count(*) as n
            from (select from refunds.relay_deliveries
                  where tenant_id = \(tenant) and app_id = \(id) and state = 'waiting' limit \(most)) x
            """,
            """
            select count(*) as n
            from (select from refunds.relay_deliveries
                  where tenant_id = \(tenant) and app_id = \(id) and state = 'given-up' limit \(most)) x
            """,
        ])
        let row = found[0].first
        let failures: Int32 = try row?("failures") ?? 0
        let waiting: Int64 = try found[1].first?("n") ?? 0
        let givenUp: Int64 = try found[2].first?("n") ?? 0
        return RelayStanding(
            isSet: app.isRelayed, lastSuccessAt: try row.flatMap { try $0("last_success_at") },
            lastError: try row.flatMap { try $0("last_error") },
            lastErrorAt: try row.flatMap { try $0("last_error_at") }, failures: Int(failures),
            pausedUntil: try row.flatMap { try $0("paused_until") }, waiting: Int(waiting), givenUp: Int(givenUp))
    }

    /// The delivery log, newest first.
    ///
    /// - Parameter limit: 1…100.
    package static func list(
        of app: App, after cursor: ListCursor? = nil, limit: Int = 50, in tx: Transaction
    ) async throws -> (lines: [RelayLine], next: ListCursor?) {
        let limit = min(max(1, limit), 100)
        let before: SQL =
            cursor.map { " and (d.created_at, d.notification_uuid) < (\($0.at), \($0.id))" } ?? ""
        let rows = try await tx.rows(
            """
            select d.notification_uuid, d.state, d.attempts, d.created_at, d.last_attempt_at, d.next_attempt_at,
              d.status, d.error, n.type, n.environment
            from refunds.relay_deliveries d
            left join refunds.notifications n
              on n.tenant_id = d.tenant_id and n.app_id = d.app_id and n.notification_uuid = d.notification_uuid
            where d.tenant_id = \(app.tenant.rawValue) and d.app_id = \(app.id.rawValue)\(before)
            order by d.created_at desc, d.notification_uuid desc
            limit \(Int64(limit + 1))
            """)
        let lines = try rows.prefix(limit).map(line)
        let next = rows.count > limit ? lines.last.map { ListCursor(at: $0.createdAt, id: $0.id) } : nil
        return (lines, next)
    }

    private static func line(_ row: Row) throws -> RelayLine {
        let state: String = try row("state")
        let attempts: Int32 = try row("attempts")
        let status: Int32? = try row("status")
        let environment: String? = try row("environment")
        let isWaiting = state == RelayLine.State.waiting.rawValue
        return RelayLine(
            id: try row("notification_uuid"), type: try row("type"), isSandbox: environment == "Sandbox",
            state: RelayLine.State(rawValue: state) ?? .givenUp, attempts: Int(attempts),
            createdAt: try row("created_at"), lastAttemptAt: try row("last_attempt_at"),
            nextAttemptAt: isWaiting ? try row("next_attempt_at") : nil, status: status.map(Int.init),
            error: try row("error"))
    }

    /// Tries again now, for another three days: one delivery, or all that wait or were given up (at most 1,000 of
    /// them, the newest). What was delivered is never sent again. Audited; ring the bell after the commit.
    ///
    /// - Returns: how many are tried again.
    @discardableResult
    package static func retry(
        _ uuid: UUID? = nil, of app: App, by actor: AuditEntry.Actor, address: String? = nil, at now: Moment,
        in tx: Transaction
    ) async throws -> Int {
        guard app.isRelayed else { return 0 }
        let (tenant, id) = (app.tenant.rawValue, app.id.rawValue)
        try await tx.execute(RelayStore.lock(app, exclusively: false))
        let count = try await tx.execute(
            """
            update refunds.relay_deliveries d
            set state = 'waiting', next_attempt_at = \(now), give_up_at = \(now + RelayStore.triedFor)
            from (select notification_uuid from refunds.relay_deliveries
                  where tenant_id = \(tenant) and app_id = \(id) and state <> 'delivered'
                    and (\(uuid)::uuid is null or notification_uuid = \(uuid))
                  order by created_at desc, notification_uuid desc
                  limit \(Int64(retryMax))) x
            where d.tenant_id = \(tenant) and d.app_id = \(id) and d.notification_uuid = x.notification_uuid
            """)
        guard count > 0 else { return 0 }
        try await tx.execute(
            "update refunds.relay_standings set paused_until = null where tenant_id = \(tenant) and app_id = \(id)")
        _ = try await RelayStore.sendCourier(to: app, at: now, in: tx)
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: now, actor: actor, address: address, action: "relay.retried",
                subject: uuid.map { "notification \($0.text)" } ?? "\(app.id)",
                detail: ["app": .number(id), "deliveries": .number(Int64(count))]),
            in: tx)
        return count
    }
}

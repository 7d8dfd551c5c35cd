import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of TEST notifications that were asked for.
enum TestNotificationStore {
    /// Rows of one app and environment; older ones are forgotten.
    static let keptMax: Int64 = 50
    /// Apple repeats a failed Production delivery for less than a week.
    static let arrivesWithin: Duration = .days(8)

    private static let columns: SQL = """
        test_id, environment, asked_at, state, token, notification_uuid, arrived_at, looked_at, send_attempt_result,
        attempted_at, status, apple_code, detail
        """

    /// The newest of an environment.
    static func newest(of app: App, isSandbox: Bool) -> SQL {
        """
        select \(columns)
        from tenants.test_notifications
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
          and environment = \(name(isSandbox))
        order by asked_at desc, test_id desc
        limit 1
        """
    }

    static func find(_ id: UUID, of app: AppID, tenant: TenantID, forUpdate: Bool, in tx: Transaction) async throws
        -> TestNotification?
    {
        let lock: SQL = forUpdate ? "for update" : ""
        return try await tx.row(
            """
            select \(columns)
            from tenants.test_notifications
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and test_id = \(id)
            \(lock)
            """
        ).map { try TestNotification($0) }
    }

    /// Before Apple is asked: the notification may be here before the answer is.
    static func add(_ id: UUID, of app: App, isSandbox: Bool, by person: UUID?, at now: Moment, in tx: Transaction)
        async throws
    {
        let (tenant, app) = (app.tenant.rawValue, app.id.rawValue)
        try await tx.execute(
            """
            insert into tenants.test_notifications
              (tenant_id, app_id, test_id, environment, asked_at, asked_by, state)
            values (\(tenant), \(app), \(id), \(name(isSandbox)), \(now), \(person), 'asked')
            """)
        try await tx.execute(
            """
            delete from tenants.test_notifications
            where tenant_id = \(tenant) and app_id = \(app) and environment = \(name(isSandbox))
              and test_id in (
                select test_id
                from tenants.test_notifications
                where tenant_id = \(tenant) and app_id = \(app) and environment = \(name(isSandbox))
                order by asked_at desc, test_id desc
                offset \(keptMax)
                limit 1000)
            """)
    }

    /// What Apple said to the request. What has arrived meanwhile stays so.
    static func answered(
        _ id: UUID, of app: App, token: String?, answer: AppleAnswer?, detail: String, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update tenants.test_notifications
            set token = \(token), status = \(answer.map { Int32(clamping: $0.status) }), apple_code = \(answer?.code),
              detail = \(Text.kept(detail, bytesMax: 500)),
              state = case when state = 'asked' and \(token == nil) then 'refused' else state end
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and test_id = \(id)
            """)
    }

    /// What Apple reports of the sending.
    ///
    /// - Parameter isFinal: nobody looks again.
    static func looked(
        _ test: TestNotification, of app: AppID, tenant: TenantID, attempt: SendAttempt?, notification: UUID?,
        detail: String, isFinal: Bool, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update tenants.test_notifications
            set looked_at = \(now),
              send_attempt_result = coalesce(\(attempt.map { Text.kept($0.result.raw, bytesMax: 100) }), send_attempt_result),
              attempted_at = coalesce(\(attempt?.at), attempted_at),
              notification_uuid = coalesce(notification_uuid, \(notification)),
              detail = \(Text.kept(detail, bytesMax: 500)),
              state = case when state = 'asked' and \(isFinal) then 'not-arrived' else state end
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and test_id = \(test.id)
            """)
    }

    /// A TEST notification came in: of the tests that it can belong to, the one that is known by its number, else
    /// the newest. One that nobody here asked for changes nothing.
    static func arrived(_ stored: NotificationStore.Stored, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update tenants.test_notifications
            set state = 'arrived', arrived_at = \(stored.receivedAt), notification_uuid = \(stored.uuid)
            where tenant_id = \(stored.tenant.rawValue) and app_id = \(stored.app.rawValue) and test_id = (
              select test_id
              from tenants.test_notifications
              where tenant_id = \(stored.tenant.rawValue) and app_id = \(stored.app.rawValue)
                and environment = \(stored.environment.rawValue) and state <> 'arrived'
                and (state <> 'refused' or status is null)
                and (notification_uuid is null or notification_uuid = \(stored.uuid))
                and asked_at <= \(stored.receivedAt) and asked_at > \(stored.receivedAt - arrivesWithin)
              order by notification_uuid is null, asked_at desc, test_id desc
              limit 1)
            """)
    }

    static func name(_ isSandbox: Bool) -> String { isSandbox ? "Sandbox" : "Production" }
}

import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of what stands between an app and Advanced Commerce.
enum CommerceAccessStore {
    /// Longer than anybody will wait.
    static let forever = Moment(milliseconds: 253_402_300_799_000)

    static func read(of app: App, in tx: Transaction) async throws -> [AppEnvironment: CommerceAccess] {
        let found = try await tx.rows(all(of: [app.id])).map { try CommerceAccess($0) }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.environment, $0) })
    }

    /// The rows of these apps of the transaction's tenant.
    static func all(of apps: [AppID]) -> SQL {
        """
        select app_id, environment, approved_as, approved_by, approved_at, addendum, addendum_version,
          addendum_on::text as addendum_on, decided_at, decided_by, went_through_at, refused_call, refused_request,
          refused_status, refused_code, refused_message, refused_body, refused_at, stopped_at, checked_at
        from refunds.commerce_access
        where app_id = any(\(apps.map(\.rawValue)))
        order by app_id, environment
        limit 2000
        """
    }

    static func read(
        of app: App, environment: AppEnvironment, in tx: Transaction
    ) async throws -> CommerceAccess {
        try await read(of: app, in: tx)[environment] ?? CommerceAccess(app: app.id, environment: environment)
    }

    /// Whether nothing may be sent. The row is locked against change until the transaction ends.
    static func isStopped(
        app: AppID, environment: AppEnvironment, tenant: TenantID, in tx: Transaction
    ) async throws -> Bool {
        let row = try await tx.row(
            """
            select stopped_at
            from refunds.commerce_access
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment.rawValue)
            for share
            """)
        let stoppedAt: Moment? = try row.flatMap { try $0("stopped_at") }
        return stoppedAt != nil
    }

    static func ensure(
        app: AppID, environment: AppEnvironment, tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.commerce_access (tenant_id, app_id, environment, changed_at)
            values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(now))
            on conflict do nothing
            """)
    }

    /// A call went through: the addendum is accepted, whatever was believed. The row is written once an hour at
    /// most while all is well.
    static func wentThrough(
        app: AppID, environment: AppEnvironment, tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.commerce_access as a
              (tenant_id, app_id, environment, addendum, decided_at, went_through_at, changed_at)
            values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), 'accepted', \(now), \(now), \(now))
            on conflict (tenant_id, app_id, environment) do update
              set decided_at = case when a.addendum = 'accepted' then a.decided_at else excluded.decided_at end,
                decided_by = case when a.addendum = 'accepted' then a.decided_by end,
                addendum = 'accepted', went_through_at = excluded.went_through_at, changed_at = excluded.changed_at
              where a.addendum <> 'accepted' or a.went_through_at is null
                or a.went_through_at < \(now - .minutes(1))
            """)
    }

    /// Whether another call that went through changes nothing: a row with the column `is_known`.
    static func known(app: AppID, environment: AppEnvironment, tenant: TenantID, at now: Moment) -> SQL {
        """
        select exists (
          select from refunds.commerce_access
          where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and environment = \(environment.rawValue)
            and addendum = 'accepted' and went_through_at >= \(now - .minutes(1))) as is_known
        """
    }

    /// A refusal that no table explains: perhaps the addendum. Nothing more is sent until somebody has looked.
    static func doubted(
        _ answer: AppleAnswer, body: [UInt8], call: CommerceKind, request: UUID?, app: AppID,
        environment: AppEnvironment, tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        try await ensure(app: app, environment: environment, tenant: tenant, at: now, in: tx)
        try await tx.execute(
            """
            update refunds.commerce_access
            set addendum = 'refused', decided_at = \(now), decided_by = null, refused_call = \(call.rawValue),
              refused_request = \(request), refused_status = \(Int32(answer.status)), refused_code = \(answer.code),
              refused_message = \(answer.message), refused_body = \(body), refused_at = \(now),
              stopped_at = coalesce(stopped_at, \(now)), changed_at = \(now)
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment.rawValue)
            """)
        try await Lane.pause(
            Lane.commerce(app: app.rawValue, isSandbox: environment == .sandbox), until: forever,
            why: "Apple refused in a way that no table explains: perhaps the addendum", in: tx)
    }

    /// The queue goes on.
    static func release(app: AppID, environment: AppEnvironment, tenant: TenantID, at now: Moment, in tx: Transaction)
        async throws
    {
        let lane = Lane.commerce(app: app.rawValue, isSandbox: environment == .sandbox)
        try await tx.execute(
            """
            update refunds.commerce_access
            set stopped_at = null, changed_at = \(now)
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment.rawValue)
            """)
        try await Lane.ensure(lane, in: tx)
        try await Lane.resume(lane, in: tx)
        // What waited for somebody to look waits no longer.
        try await tx.execute(
            """
            update queue.jobs
            set state = 'ready'
            where tenant_id = \(tenant.rawValue) and lane = \(lane) and state = 'waiting'
            """)
    }
}

extension CommerceAccess {
    init(_ row: Row) throws {
        self.init(app: AppID(rawValue: try row("app_id")), environment: try row.word("environment"))
        let approved: String? = try row("approved_as")
        let approvedBy: UUID? = try row("approved_by")
        let addendum: String = try row("addendum")
        let decidedBy: UUID? = try row("decided_by")
        approvedAs = approved.flatMap(Approval.init)
        self.approvedBy = approvedBy.map(PersonID.init)
        approvedAt = try row("approved_at")
        self.addendum = Addendum(rawValue: addendum) ?? .unknown
        addendumVersion = try row("addendum_version")
        addendumOn = try row("addendum_on")
        decidedAt = try row("decided_at")
        self.decidedBy = decidedBy.map(PersonID.init)
        wentThroughAt = try row("went_through_at")
        stoppedAt = try row("stopped_at")
        checkedAt = try row("checked_at")
        let call: String? = try row("refused_call")
        let status: Int32? = try row("refused_status")
        let at: Moment? = try row("refused_at")
        let body: [UInt8]? = try row("refused_body")
        if let call = call.flatMap(CommerceKind.init), let status, let at {
            refusal = Refusal(
                call: call, request: try row("refused_request"), status: Int(status), code: try row("refused_code"),
                message: try row("refused_message"), body: body ?? [], at: at)
        }
    }
}

import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of channels.
enum ChannelStore {
    static let max = 50

    private static let columns: SQL = """
        channel_id, tenant_id, kind, name, target, secret_id, severity, apps, after_minutes, quiet_from, quiet_to,
        time_zone, language, confirmed_at, created_at, off_at, off_why, last_success_at, last_error, last_error_at, failures
        """

    /// In the order in which they were made.
    static func all(of tenant: TenantID, in tx: Transaction) async throws -> [Channel] {
        try await tx.rows(
            """
            select \(columns)
            from refunds.channels
            where tenant_id = \(tenant.rawValue) and removed_at is null
            order by created_at, channel_id
            limit \(Int64(max))
            """
        ).compactMap { try Channel(row: $0) }
    }

    static func find(_ id: UUID, of tenant: TenantID, forUpdate: Bool = false, in tx: Transaction) async throws
        -> Channel?
    {
        let lock: SQL = forUpdate ? "for update" : ""
        return try await tx.row(
            """
            select \(columns)
            from refunds.channels
            where tenant_id = \(tenant.rawValue) and channel_id = \(id) and removed_at is null
            \(lock)
            """
        ).flatMap { try Channel(row: $0) }
    }

    static func add(_ channel: Channel, by person: PersonID?, in tx: Transaction) async throws {
        try await tx.execute(
            """
            insert into refunds.channels
              (tenant_id, channel_id, kind, name, target, secret_id, severity, apps, after_minutes, quiet_from, quiet_to,
               time_zone, language, created_at, created_by)
            values (\(channel.tenant.rawValue), \(channel.id), \(channel.kind.rawValue), \(channel.name),
              \(channel.target), \(channel.secret), \(channel.severity.rawValue), \(channel.apps.map(\.rawValue).sorted()),
              \(Int32(clamping: channel.after.wholeMilliseconds / 60_000)), \(channel.quiet.map { Int32($0.from) }),
              \(channel.quiet.map { Int32($0.to) }), \(channel.zone), \(channel.language.rawValue), \(channel.createdAt),
              \(person?.rawValue))
            """)
    }

    /// Writes what a person may change. A new secret or target switches it on again.
    static func change(_ channel: Channel, isRepaired: Bool, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.channels
            set name = \(channel.name), target = \(channel.target), secret_id = \(channel.secret),
              severity = \(channel.severity.rawValue), apps = \(channel.apps.map(\.rawValue).sorted()),
              after_minutes = \(Int32(clamping: channel.after.wholeMilliseconds / 60_000)),
              quiet_from = \(channel.quiet.map { Int32($0.from) }), quiet_to = \(channel.quiet.map { Int32($0.to) }),
              time_zone = \(channel.zone), language = \(channel.language.rawValue), confirmed_at = \(channel.confirmedAt),
              off_at = case when \(isRepaired) then null else off_at end,
              off_why = case when \(isRepaired) then null else off_why end,
              failures = case when \(isRepaired) then 0 else failures end
            where tenant_id = \(channel.tenant.rawValue) and channel_id = \(channel.id)
            """)
    }

    /// A link that confirms it; the last few sent ones count, because mails overtake each other.
    static func addLink(_ hash: [UInt8], until: Moment, to id: UUID, of tenant: TenantID, in tx: Transaction)
        async throws
    {
        try await tx.execute(
            """
            update refunds.channels
            set confirm_hashes = (array_prepend(\(hash), confirm_hashes))[1:5], confirm_until = \(until)
            where tenant_id = \(tenant.rawValue) and channel_id = \(id) and confirmed_at is null
            """)
    }

    /// The channel that a link confirms, and its tenant's name. House scope.
    static func linked(_ hash: [UInt8], at now: Moment, in tx: Transaction) async throws -> (
        tenant: TenantID, channel: UUID, confirmation: ChannelConfirmation
    )? {
        try await tx.row(
            """
            select c.tenant_id, c.channel_id, c.name, coalesce(c.target, '') as target, t.name as tenant_name
            from refunds.channels c
            join tenants.tenants t using (tenant_id)
            where c.confirmed_at is null and c.confirm_until is not null and c.confirm_until > \(now) and c.removed_at is null
              and t.closed_at is null and \(hash) = any (c.confirm_hashes)
            order by c.channel_id
            limit 1
            """
        ).map { row in
            (
                TenantID(rawValue: try row("tenant_id")), try row("channel_id"),
                ChannelConfirmation(
                    tenantName: try row("tenant_name"), channelName: try row("name"), address: try row("target"))
            )
        }
    }

    /// - Returns: false where somebody was quicker, or its address changed meanwhile.
    static func confirm(_ id: UUID, by hash: [UInt8], of tenant: TenantID, at now: Moment, in tx: Transaction)
        async throws
        -> Bool
    {
        try await tx.execute(
            """
            update refunds.channels
            set confirmed_at = \(now), confirm_hashes = '{}', confirm_until = null
            where tenant_id = \(tenant.rawValue) and channel_id = \(id) and confirmed_at is null and removed_at is null
              and \(hash) = any (confirm_hashes)
            """) == 1
    }

    /// Another address: what was sent to the one before confirms nothing.
    static func forgetLinks(of id: UUID, tenant: TenantID, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.channels set confirm_hashes = '{}', confirm_until = null
            where tenant_id = \(tenant.rawValue) and channel_id = \(id)
            """)
    }

    static func remove(_ id: UUID, of tenant: TenantID, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.channels set removed_at = \(now)
            where tenant_id = \(tenant.rawValue) and channel_id = \(id)
            """)
    }

    /// How the newest sending ended; what has gone for good is switched off.
    static func note(_ answer: ChannelAnswer, of id: UUID, tenant: TenantID, at now: Moment, in tx: Transaction)
        async throws
    {
        let (ok, error, isGone): (Bool, String?, Bool) =
            switch answer {
            case .accepted: (true, nil, false)
            case .again(let text, _), .refused(let text): (false, text, false)
            case .gone(let text): (false, text, true)
            }
        let kept = error.map { Text.kept($0, bytesMax: 500) }
        try await tx.execute(
            """
            update refunds.channels
            set failures = case when \(ok) then 0 else least(failures, 1000) + 1 end,
              last_success_at = case when \(ok) then \(now) else last_success_at end,
              last_error = coalesce(\(kept), last_error), last_error_at = case when \(ok) then last_error_at else \(now) end,
              off_at = case when \(isGone) then coalesce(off_at, \(now)) else off_at end,
              off_why = case when \(isGone) then \(kept) else off_why end
            where tenant_id = \(tenant.rawValue) and channel_id = \(id)
            """)
    }
}

extension Channel {
    /// Nil for a kind that this release does not know.
    init?(row: Row) throws {
        let (kind, severity): (String, String) = (try row("kind"), try row("severity"))
        guard let kind = ChannelKind(rawValue: kind), let severity = Severity(rawValue: severity) else { return nil }
        let apps: [Int64] = try row("apps")
        let (after, failures): (Int32, Int32) = (try row("after_minutes"), try row("failures"))
        let (from, to): (Int32?, Int32?) = (try row("quiet_from"), try row("quiet_to"))
        let (zone, language): (String, String) = (try row("time_zone"), try row("language"))
        self.init(
            id: try row("channel_id"), tenant: TenantID(rawValue: try row("tenant_id")), kind: kind,
            name: try row("name"),
            target: try row("target"), secret: try row("secret_id"), severity: severity,
            apps: Set(apps.map(AppID.init)), after: .minutes(Int64(after)),
            quiet: from.flatMap { from in to.flatMap { QuietHours(from: Int(from), to: Int($0), zone: zone) } },
            zone: zone, language: AlertLanguage(rawValue: language) ?? .english, confirmedAt: try row("confirmed_at"),
            createdAt: try row("created_at"),
            offAt: try row("off_at"), offWhy: try row("off_why"),
            lastSuccessAt: try row("last_success_at"), lastError: try row("last_error"),
            lastErrorAt: try row("last_error_at"), failures: Int(failures))
    }
}

import AppStore
import Journal
import Loop
import Postgres
import Refunds
import Schema
import Tenants
import Time

/// Looks at everything that replies depend on, and says what to do. Changes nothing and never calls Apple; of addresses only
/// our own public one is called.
enum Doctor {
    /// Apple refuses tokens that are not valid yet; ours are dated a minute back.
    private static let clockFail = Duration.seconds(30)
    private static let clockWarn = Duration.seconds(2)
    /// A transaction that is open for longer keeps the database from tidying up.
    private static let snapshotWarn = Duration.minutes(10)

    static func examine(_ surroundings: Surroundings) async -> [Check] {
        let configuration: Configuration
        do {
            configuration = try surroundings.configuration()
        } catch let error as ConfigurationError {
            return error.troubles.map { .fail("configuration", "\($0)") }
        } catch {
            return [.fail("configuration", "\(error)")]
        }
        var checks = [Check.ok("configuration", "every setting is known and well formed")]
        checks += await PublicURLChecks.of(configuration)
        checks += trust(configuration)
        checks.append(publicFolder(configuration))
        do {
            let house = try House(
                configuration, loops: 1,
                limits: PoolLimits(tenant: 1, intake: 1, queue: 1, house: 1, wait: .seconds(10)),
                journal: .standardError(level: .error))
            checks += await database(house)
            await house.database.close()
        } catch {
            checks.append(.fail("database", "\(error)"))
        }
        return checks
    }

    // MARK: Without a database

    private static func trust(_ configuration: Configuration) -> [Check] {
        guard let folder = configuration.trustRoots else {
            return [.ok("trust-roots", "built-in trust in Apple's root")]
        }
        let (anchors, warnings) = TrustAnchors.load(folder: folder, at: WallClock.system.now)
        var checks = warnings.map { Check.warn("trust-roots", $0) }
        checks.append(
            anchors.isEmpty
                ? .fail(
                    "trust-roots", "no usable root certificate in \(folder): every notification is answered with 503")
                : .ok("trust-roots", "roots of \(folder)"))
        return checks
    }

    private static func publicFolder(_ configuration: Configuration) -> Check {
        guard let folder = Places.publicFolder(configuration.publicFolder) else {
            return .warn("public-folder", "no folder of static assets: set REFUND_DESK_PUBLIC_FOLDER")
        }
        return .ok("public-folder", folder)
    }

    // MARK: With the database

    private static func database(_ house: House) async -> [Check] {
        let url = house.configuration.databaseURL.reveal()
        let loop = house.loops.all[0]
        var checks: [Check] = []
        do {
            let state = try await Schema.migrator(on: loop, journal: house.journal).state(url)
            checks.append(.ok("database", "reachable"))
            if let trouble = state.trouble {
                checks.append(.fail("schema", trouble))
                return checks
            }
            checks.append(.ok("schema", "version \(state.current)"))
            let troubles = try await RoleCheck.troubles(url, on: loop)
            checks += troubles.map { .fail("role", $0) }
            guard troubles.isEmpty else { return checks }
            checks.append(.ok("role", "tenants are kept apart by row security"))
            checks.append(try await clock(house))
            checks.append(try await snapshots(house))
            checks.append(try await connections(house))
            checks.append(try await room(house))
            checks += try await masterKey(house)
            checks += try await factors(house)
            checks += try await channels(house)
            checks += try await tenants(house)
        } catch {
            checks.append(.fail("database", "\(error)"))
        }
        return checks
    }

    private static func clock(_ house: House) async throws -> Check {
        let before = house.clock.now
        let rows = try await house.database.rows(.house, "select clock_timestamp() as now")
        let after = house.clock.now
        let theirs: Moment = try rows[0]("now")
        let middle = before + .milliseconds((after - before).wholeMilliseconds / 2)
        let offset = theirs - middle
        let size = offset < .zero ? .zero - offset : offset
        let text =
            "the database's clock is \(offset.wholeMilliseconds) ms \(offset < .zero ? "behind" : "ahead of") ours"
        if size > clockFail {
            return .fail("clock", "\(text): set both by NTP; Apple refuses tokens with a wrong time")
        }
        if size > clockWarn { return .warn("clock", "\(text): set both by NTP") }
        return .ok("clock", text)
    }

    private static func snapshots(_ house: House) async throws -> Check {
        let rows = try await house.database.rows(
            .house,
            """
            select coalesce(extract(epoch from max(clock_timestamp() - xact_start)), 0)::bigint as seconds
            from pg_stat_activity
            where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
            """)
        let seconds: Int64 = try rows[0]("seconds")
        if Duration.seconds(seconds) > snapshotWarn {
            return .warn(
                "snapshots",
                "a transaction has been open for \(seconds / 60) minutes: the queue gets slower until it ends")
        }
        return .ok("snapshots", "no transaction is open for long")
    }

    /// Whether two processes of this size get the connections that they may open.
    private static func connections(_ house: House) async throws -> Check {
        let rows = try await house.database.rows(
            .house,
            """
            select current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8 as allowed
            """)
        let allowed: Int64 = try rows[0]("allowed")
        let limits = PoolLimits()
        let needed = Int64(
            2 * (Service.loopCount * (limits.tenant + limits.intake + limits.queue + limits.house) + 1) + 7)
        let text =
            "PostgreSQL allows \(allowed) connections; two processes on this machine, a command and a backup open up to \(needed)"
        return allowed < needed
            ? .warn("connections", "\(text): set max_connections = \(max(150, (needed + 20) / 10 * 10))")
            : .ok("connections", text)
    }

    /// Whether it is told before the database's volume is full.
    private static func room(_ house: House) async throws -> Check {
        let used = try await DatabaseVolume.used(in: house.database)
        let taken = "PostgreSQL takes \(used >> 20) MiB"
        guard let size = house.configuration.databaseBytes else {
            let rows = try await house.database.rows(
                .house,
                "select coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as is_here")
            let isHere: Bool = try rows[0]("is_here")
            return isHere
                ? .ok("database-room", "\(taken); it stands on this machine, whose disks are watched")
                : .warn(
                    "database-room",
                    "\(taken) and does not say of how much: set REFUND_DESK_DATABASE_BYTES to the size of its volume, and it is told before that is full"
                )
        }
        let volume = DatabaseVolume(used: used, size: size)
        let text = "\(taken) of \(size >> 20) MiB"
        return switch volume.severity {
        case nil: .ok("database-room", text)
        case .warning:
            .warn(
                "database-room", "\(text): make room on it or make it larger, then set REFUND_DESK_DATABASE_BYTES anew")
        default:
            .fail(
                "database-room", "\(text): make room on it or make it larger, then set REFUND_DESK_DATABASE_BYTES anew")
        }
    }

    private static func masterKey(_ house: House) async throws -> [Check] {
        let sealed = try await house.database.transaction(.house) { tx in try await house.vault.sealings(in: tx) }
        guard sealed.unknown == 0 else {
            return [
                .fail(
                    "master-key",
                    """
                    \(house.vault.hasMasterKey ? "another master key" : "no master key"): \(secrets(sealed.unknown)) \
                    sealed with one that is not configured. Restore that key from its backup and name it in \
                    REFUND_DESK_MASTER_KEY_FILE. Only if it is lost: write a new one with "refund-desk master-key new \
                    --file PATH", then add keys and notification URLs again with "key add" and "inbox add"
                    """)
            ]
        }
        guard house.vault.hasMasterKey else {
            return [.fail("master-key", "\(VaultError.noMasterKey)")]
        }
        guard sealed.older == 0 else {
            return [
                .warn(
                    "master-key",
                    "\(secrets(sealed.older)) sealed with an older key: run \"refund-desk master-key rotate\" and keep the older keys until then"
                )
            ]
        }
        return [.ok("master-key", "every secret is sealed with the newest key")]
    }

    /// People whose code generator does not open cannot sign in with it.
    private static func factors(_ house: House) async throws -> [Check] {
        let bad = try await house.database.transaction(.house) { tx in try await house.vault.unreadableFactors(in: tx) }
        return bad.map { .warn("code-generator", "\($0.error)") }
    }

    /// The installation's own channels, and what all channels need of its settings.
    private static func channels(_ house: House) async throws -> [Check] {
        var checks = try await house.database.transaction(TenantID.installation.scope) { tx in
            guard let tenant = try await TenantStore.tenant(TenantID.installation, in: tx) else { return [Check]() }
            return try await ChannelChecks.of(tenant, in: tx)
        }
        if house.configuration.mailServer == nil {
            let rows = try await house.database.rows(
                .house,
                """
                select count(*) as n
                from (select from refunds.channels where kind = 'email' and removed_at is null limit 1000) x
                """)
            let count: Int64 = try rows[0]("n")
            if count > 0 {
                checks.append(
                    .fail(
                        "mail-server",
                        "\(count) channel\(count == 1 ? " is" : "s are") of e-mail, and no mail server is set: set REFUND_DESK_SMTP_URL and REFUND_DESK_MAIL_FROM"
                    ))
            }
        }
        checks.append(
            house.configuration.heartbeat == nil
                ? .warn(
                    "heartbeat",
                    "nobody outside notices when everything is away: set REFUND_DESK_HEARTBEAT_URL to an address that is missed when it is not called"
                ) : .ok("heartbeat", "is sent every minute"))
        return checks
    }

    private static func secrets(_ count: Int) -> String { count == 1 ? "1 secret is" : "\(count) secrets are" }

    private static func tenants(_ house: House) async throws -> [Check] {
        var checks: [Check] = []
        var slug = ""
        while true {
            let after = slug
            let page = try await house.database.transaction(.house) { tx in
                try await TenantStore.lines(after: after, limit: 100, in: tx)
            }
            guard let last = page.last else { break }
            slug = last.tenant.slug
            for line in page { checks += try await examine(line, in: house) }
        }
        if checks.isEmpty { checks.append(.warn("tenants", "there is no tenant yet: run \"refund-desk tenant add\"")) }
        return checks
    }

    private static func examine(_ line: TenantLine, in house: House) async throws -> [Check] {
        guard let closedAt = line.closedAt else { return try await examine(line.tenant, in: house) }
        return try await house.database.transaction(line.tenant.id.scope) { tx in
            try await TenantChecks.ofClosed(line.tenant, since: closedAt, vault: house.vault, in: tx)
        }
    }

    /// What one tenant's replies depend on.
    static func examine(_ tenant: Tenant, in house: House) async throws -> [Check] {
        try await house.database.transaction(tenant.id.scope) { tx in
            try await TenantChecks.of(tenant, vault: house.vault, tokens: house.tokens, at: house.clock.now, in: tx)
        }
    }
}

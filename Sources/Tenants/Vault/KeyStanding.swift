package import Postgres
package import Time

/// How Apple takes a key in one environment.
///
/// A bare 401 pauses the pair, not the app: one wrong key that serves ten apps must not be tried ten times as often.
/// After it one probing call goes out each `probeEvery`, so at most five in ten minutes. A new or repaired key is
/// another row and starts again.
package struct KeyStanding: Hashable, Sendable {
    package let key: SigningKeyID
    package let isSandbox: Bool
    /// When Apple last accepted it, to the hour.
    package let acceptedAt: Moment?
    /// Since when Apple refuses it; nil while it does not.
    package let refusedSince: Moment?
    package let pausedUntil: Moment?
    package let refusals: Int
    /// Our clock minus Apple's, as the last refusal told; a clock that is off is a common cause of a 401.
    package let clockOffset: Duration?
    /// When a call with it was last decided, to the hour while all is well.
    package let usedAt: Moment?
    /// When Apple last refused it; stays after it was accepted again.
    package let refusedAt: Moment?

    package init(
        key: SigningKeyID, isSandbox: Bool, acceptedAt: Moment?, refusedSince: Moment?, pausedUntil: Moment?,
        refusals: Int, clockOffset: Duration?, usedAt: Moment? = nil, refusedAt: Moment? = nil
    ) {
        self.key = key
        self.isSandbox = isSandbox
        self.acceptedAt = acceptedAt
        self.refusedSince = refusedSince
        self.pausedUntil = pausedUntil
        self.refusals = refusals
        self.clockOffset = clockOffset
        self.usedAt = usedAt
        self.refusedAt = refusedAt
    }

    /// Apple's name of the environment.
    package var environment: String { isSandbox ? "Sandbox" : "Production" }

    package var isRefused: Bool { refusedSince != nil }
}

/// Whether a key may be used for a call now.
package enum KeyGate: Hashable, Sendable {
    case open
    /// Not before this moment: Apple refused the key, or somebody is just finding out.
    case closed(until: Moment)
}

/// The standing of signing keys, kept in the database and so shared by all processes.
package enum KeyStandings {
    /// Between probing calls of a refused key.
    package static let probeEvery = Duration.seconds(150)
    /// How long a key that Apple never accepted is held by the call that tries it: the call's own time-outs and more.
    static let trialFor = Duration.seconds(30)
    /// How soon those who wait for a trial ask again.
    static let trialLook = Duration.seconds(1)

    /// Asks for leave to call with a key. Open for everybody once Apple has accepted it; else for one at a time.
    ///
    /// After `.open` one of `accepted`, `refused` or `undecided` must follow.
    package static func enter(
        _ key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws -> KeyGate {
        let before = try await standing(of: key, isSandbox: isSandbox, of: tenant, in: tx)
        if let before, before.acceptedAt != nil, !before.isRefused { return .open }
        let until = now + (before?.isRefused == true ? probeEvery : trialFor)
        let entered = try await tx.row(
            """
            insert into tenants.key_standings as k (tenant_id, signing_key_id, environment, paused_until)
            values (\(tenant.rawValue), \(key.rawValue), \(environment(isSandbox)), \(until))
            on conflict (tenant_id, signing_key_id, environment) do update
              set paused_until = excluded.paused_until
              where k.paused_until is null or k.paused_until <= \(now)
            returning paused_until
            """)
        if entered != nil { return .open }
        let other = try await standing(of: key, isSandbox: isSandbox, of: tenant, in: tx)
        guard let other, let paused = other.pausedUntil else { return .open }
        return .closed(until: other.isRefused ? paused : min(paused, now + trialLook))
    }

    /// Apple took the token: any answer but a 401 shows it.
    package static func accepted(
        _ key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        // The row changes once an hour at most while all is well: it is not written by every reply.
        try await tx.execute(
            """
            insert into tenants.key_standings as k (tenant_id, signing_key_id, environment, accepted_at, used_at)
            values (\(tenant.rawValue), \(key.rawValue), \(environment(isSandbox)), \(now), \(now))
            on conflict (tenant_id, signing_key_id, environment) do update
              set accepted_at = excluded.accepted_at, used_at = excluded.used_at, refused_since = null, paused_until = null, refusals = 0,
                clock_offset_ms = null
              where k.refused_since is not null or k.paused_until is not null or k.accepted_at is null
                or k.accepted_at < \(now - .hours(1))
            """)
    }

    /// Apple answered 401. Returns the moment of the next probing call.
    package static func refused(
        _ key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, clockOffset: Duration?, at now: Moment,
        in tx: Transaction
    ) async throws -> Moment {
        let until = now + probeEvery
        let offset = clockOffset.map { $0.wholeMilliseconds }
        try await tx.execute(
            """
            insert into tenants.key_standings as k
              (tenant_id, signing_key_id, environment, refused_since, paused_until, refusals, clock_offset_ms,
               used_at, refused_at)
            values (\(tenant.rawValue), \(key.rawValue), \(environment(isSandbox)), \(now), \(until), 1, \(offset),
              \(now), \(now))
            on conflict (tenant_id, signing_key_id, environment) do update
              set refused_since = coalesce(k.refused_since, excluded.refused_since),
                paused_until = excluded.paused_until, refusals = k.refusals + 1,
                clock_offset_ms = excluded.clock_offset_ms, used_at = excluded.used_at,
                refused_at = excluded.refused_at
            """)
        return until
    }

    /// The call ended without telling anything of the key: no connection, no answer.
    package static func undecided(
        _ key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update tenants.key_standings set paused_until = null
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue)
              and environment = \(environment(isSandbox)) and refused_since is null
            """)
    }

    /// How a key stands; nil before its first call.
    package static func standing(
        of key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws -> KeyStanding? {
        try await tx.row(
            """
            select signing_key_id, environment, accepted_at, refused_since, paused_until, refusals, clock_offset_ms,
              used_at, refused_at
            from tenants.key_standings
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue)
              and environment = \(environment(isSandbox))
            """
        ).map { try KeyStanding($0) }
    }

    /// Every standing of a tenant's keys that are not retired, at most 400.
    package static func all(of tenant: TenantID, in tx: Transaction) async throws -> [KeyStanding] {
        try await tx.rows(
            """
            select s.signing_key_id, s.environment, s.accepted_at, s.refused_since, s.paused_until, s.refusals,
              s.clock_offset_ms, s.used_at, s.refused_at
            from tenants.key_standings s
            join tenants.signing_keys k on k.tenant_id = s.tenant_id and k.signing_key_id = s.signing_key_id
            where s.tenant_id = \(tenant.rawValue) and k.state <> 'retired'
            order by s.signing_key_id, s.environment
            limit 400
            """
        ).map { try KeyStanding($0) }
    }

    private static func environment(_ isSandbox: Bool) -> String { isSandbox ? "Sandbox" : "Production" }
}

extension KeyStanding {
    init(_ row: Row) throws(PostgresError) {
        let environment: String = try row("environment")
        let isSandbox = environment == "Sandbox"
        let refusals: Int32 = try row("refusals")
        let offset: Int64? = try row("clock_offset_ms")
        self.init(
            key: SigningKeyID(rawValue: try row("signing_key_id")), isSandbox: isSandbox,
            acceptedAt: try row("accepted_at"), refusedSince: try row("refused_since"),
            pausedUntil: try row("paused_until"), refusals: Int(refusals),
            clockOffset: offset.map { .milliseconds($0) }, usedAt: try row("used_at"),
            refusedAt: try row("refused_at"))
    }
}

package import Postgres
package import Time

/// The standing of signing keys, and their proofs for apps, kept in the database and so shared by all processes.
package enum KeyStandings {
    /// Between probing calls of a refused key.
    package static let probeEvery = Duration.seconds(150)
    /// How long a key that Apple never accepted is held by the call that tries it: the call's own time-outs and more.
    static let trialFor = Duration.seconds(30)
    /// How soon those who wait for a trial ask again.
    static let trialLook = Duration.seconds(1)

    /// Asks for leave to call with a key for an app. Open for everybody once Apple has accepted it for this app; else
    /// for one at a time.
    ///
    /// After `.open` one of `accepted`, `refused` or `undecided` must follow.
    package static func enter(
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws -> KeyGate {
        try await enter(several: key, for: app, isSandbox: isSandbox, of: tenant, at: now, in: tx).gate
    }

    /// The same for several calls at once.
    ///
    /// - Returns: with `isTrial` the open gate is for one of them.
    package static func enter(
        several key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, at now: Moment,
        in tx: Transaction
    ) async throws -> (gate: KeyGate, isTrial: Bool) {
        let (whole, own) = try await both(of: key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
        if let own, own.refusedSince != nil, let until = own.pausedUntil, until > now {
            return (.closed(until: until), true)
        }
        guard whole?.isAccepted == true else {
            return (try await tryKey(key, whole, isSandbox, tenant, at: now, in: tx), true)
        }
        if own?.isAccepted == true { return (.open, false) }
        return (try await tryKey(key, for: app, own, isSandbox, tenant, at: now, in: tx), true)
    }

    /// One at a time of all apps: the key is not known to work for any.
    private static func tryKey(
        _ key: SigningKeyID, _ before: KeyStanding?, _ isSandbox: Bool, _ tenant: TenantID, at now: Moment,
        in tx: Transaction
    ) async throws -> KeyGate {
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

    /// One at a time of this app: the key works for another.
    private static func tryKey(
        _ key: SigningKeyID, for app: AppID, _ before: KeyProof?, _ isSandbox: Bool, _ tenant: TenantID, at now: Moment,
        in tx: Transaction
    ) async throws -> KeyGate {
        let until = now + (before?.refusedSince == nil ? trialFor : probeEvery)
        let entered = try await tx.row(
            """
            insert into tenants.key_proofs as p (tenant_id, signing_key_id, app_id, environment, paused_until)
            values (\(tenant.rawValue), \(key.rawValue), \(app.rawValue), \(environment(isSandbox)), \(until))
            on conflict (tenant_id, signing_key_id, app_id, environment) do update
              set paused_until = excluded.paused_until
              where p.paused_until is null or p.paused_until <= \(now)
            returning paused_until
            """)
        if entered != nil { return .open }
        let other = try await proof(of: key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
        guard let other, let paused = other.pausedUntil else { return .open }
        return .closed(until: other.refusedSince == nil ? min(paused, now + trialLook) : paused)
    }

    /// Apple took the token: any answer but a 401 shows it.
    package static func accepted(
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        // The rows change once an hour at most while all is well: they are not written by every reply.
        let changed = try await tx.execute(
            """
            insert into tenants.key_standings as k (tenant_id, signing_key_id, environment, accepted_at, used_at)
            values (\(tenant.rawValue), \(key.rawValue), \(environment(isSandbox)), \(now), \(now))
            on conflict (tenant_id, signing_key_id, environment) do update
              set accepted_at = excluded.accepted_at, used_at = excluded.used_at, refused_since = null,
                paused_until = null, refusals = 0, clock_offset_ms = null
              where k.refused_since is not null or k.paused_until is not null or k.accepted_at is null
                or k.accepted_at < \(now - .hours(1))
            """)
        // A refused key that works again must be seen to have worked after the refusal.
        try await tx.execute(
            """
            insert into tenants.key_proofs as p (tenant_id, signing_key_id, app_id, environment, accepted_at)
            values (\(tenant.rawValue), \(key.rawValue), \(app.rawValue), \(environment(isSandbox)), \(now))
            on conflict (tenant_id, signing_key_id, app_id, environment) do update
              set accepted_at = excluded.accepted_at, refused_since = null, paused_until = null, clock_offset_ms = null
              where p.refused_since is not null or p.paused_until is not null or p.accepted_at is null
                or p.accepted_at < \(now - .hours(1)) or \(changed > 0)
            """)
    }

    /// Apple answered 401. Returns the moment of the next probing call for this app.
    ///
    /// Where the key is known to work for another app since, the refusal is this app's own matter: a wrong bundle ID,
    /// another team's app, an app that is not on sale. It then holds back no other app. A key that worked for this very
    /// app is suspected for all of them, until a call for one of them shows that it still works.
    package static func refused(
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, clockOffset: Duration?,
        at now: Moment, in tx: Transaction
    ) async throws -> Moment {
        let (name, offset) = (environment(isSandbox), clockOffset.map { $0.wholeMilliseconds })
        let own = try await proof(of: key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
        let newest = try await tx.row(
            """
            select max(accepted_at) as at
            from tenants.key_proofs
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue) and app_id <> \(app.rawValue)
              and environment = \(name) and refused_since is null
            """)
        let other: Moment? = try newest?("at")
        let isOwnMatter = other.map { at -> Bool in
            guard own?.acceptedAt != nil else { return true }
            return own?.refusedSince.map { at > $0 } ?? false
        }
        // Another app's call goes first where it may tell that the key is well.
        let until = now + probeEvery + (isOwnMatter == false ? trialFor : .zero)
        try await tx.execute(
            """
            insert into tenants.key_proofs as p
              (tenant_id, signing_key_id, app_id, environment, refused_since, refused_at, paused_until, clock_offset_ms)
            values (\(tenant.rawValue), \(key.rawValue), \(app.rawValue), \(name), \(now), \(now), \(until), \(offset))
            on conflict (tenant_id, signing_key_id, app_id, environment) do update
              set refused_since = coalesce(p.refused_since, excluded.refused_since), refused_at = excluded.refused_at,
                paused_until = excluded.paused_until, clock_offset_ms = excluded.clock_offset_ms
            """)
        if isOwnMatter == true { return until }
        try await tx.execute(
            """
            insert into tenants.key_standings as k
              (tenant_id, signing_key_id, environment, refused_since, paused_until, refusals, clock_offset_ms,
               used_at, refused_at)
            values (\(tenant.rawValue), \(key.rawValue), \(name), \(now), \(now + probeEvery), 1, \(offset),
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
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update tenants.key_standings set paused_until = null
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue)
              and environment = \(environment(isSandbox)) and refused_since is null and paused_until is not null
            """)
        try await tx.execute(
            """
            update tenants.key_proofs set paused_until = null
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment(isSandbox)) and refused_since is null and paused_until is not null
            """)
    }

    // MARK: reading

    /// How a key stands; nil before its first call.
    package static func standing(
        of key: SigningKeyID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws -> KeyStanding? {
        try await tx.row(standing(key, isSandbox, tenant)).map { try KeyStanding($0) }
    }

    /// What is known of a key for one app; nil before its first call for it.
    package static func proof(
        of key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws -> KeyProof? {
        try await tx.row(proof(key, app, isSandbox, tenant)).map { try KeyProof($0) }
    }

    /// Whether nothing is to be noted of another accepted call: all is well and was written down within the hour.
    package static func isProven(
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        let (whole, own) = try await both(of: key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
        guard let whole, let own, whole.isAccepted, own.isAccepted, whole.pausedUntil == nil, own.pausedUntil == nil,
            let wholeAt = whole.acceptedAt, let ownAt = own.acceptedAt
        else { return false }
        return min(wholeAt, ownAt) > now - .hours(1)
    }

    /// The same as one statement: a row with the column `is_proven`.
    package static func proven(
        _ key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, at now: Moment
    ) -> SQL {
        """
        select exists (
          select from tenants.key_standings s
          join tenants.key_proofs p on p.tenant_id = s.tenant_id and p.signing_key_id = s.signing_key_id
            and p.environment = s.environment
          where s.tenant_id = \(tenant.rawValue) and s.signing_key_id = \(key.rawValue)
            and s.environment = \(environment(isSandbox)) and p.app_id = \(app.rawValue)
            and s.refused_since is null and s.paused_until is null and s.accepted_at > \(now - .hours(1))
            and p.refused_since is null and p.paused_until is null and p.accepted_at > \(now - .hours(1))) as is_proven
        """
    }

    /// Both in one round trip.
    package static func both(
        of key: SigningKeyID, for app: AppID, isSandbox: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws -> (whole: KeyStanding?, own: KeyProof?) {
        let parts = try await tx.pipeline([
            standing(key, isSandbox, tenant), proof(key, app, isSandbox, tenant),
        ])
        return (try parts[0].first.map { try KeyStanding($0) }, try parts[1].first.map { try KeyProof($0) })
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

    /// What is known of a tenant's keys for its apps that are in use, at most 8,000.
    package static func proofs(of tenant: TenantID, in tx: Transaction) async throws -> [KeyProof] {
        try await tx.rows(VaultStore.proofs(of: tenant)).map { try KeyProof($0) }
    }

    private static func standing(_ key: SigningKeyID, _ isSandbox: Bool, _ tenant: TenantID) -> SQL {
        """
        select signing_key_id, environment, accepted_at, refused_since, paused_until, refusals, clock_offset_ms,
          used_at, refused_at
        from tenants.key_standings
        where tenant_id = \(tenant.rawValue) and signing_key_id = \(key.rawValue)
          and environment = \(environment(isSandbox))
        """
    }

    private static func proof(_ key: SigningKeyID, _ app: AppID, _ isSandbox: Bool, _ tenant: TenantID) -> SQL {
        """
        select \(KeyProof.columns)
        from tenants.key_proofs p
        join tenants.apps a on a.tenant_id = p.tenant_id and a.app_id = p.app_id
        where p.tenant_id = \(tenant.rawValue) and p.signing_key_id = \(key.rawValue) and p.app_id = \(app.rawValue)
          and p.environment = \(environment(isSandbox))
        """
    }

    private static func environment(_ isSandbox: Bool) -> String { isSandbox ? "Sandbox" : "Production" }
}

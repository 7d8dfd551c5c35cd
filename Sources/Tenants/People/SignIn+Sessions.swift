import Crypto
import FoundationEssentials
import Journal
import Postgres
import Time

extension SignIn {
    /// The session of a cookie; nil when there is none, it has ended, or the person's password changed since.
    package func session(cookie: String) async throws -> Session? {
        guard InboxToken.isWellFormed(cookie) else { return nil }
        let digest = Digest.sha256(Array(cookie.utf8))
        let now = clock.now
        let rows = try await database.rows(
            .house,
            """
            select p.person_id, p.email, p.installation, s.expires_at, s.seen_at, t.tenant_id, t.slug, t.name, m.role
            from tenants.sessions s
            join tenants.people p on p.person_id = s.person_id
            left join tenants.members m on m.person_id = p.person_id
            left join tenants.tenants t on t.tenant_id = m.tenant_id and t.closed_at is null
            where s.session_sha256 = \(digest)
              and s.expires_at > \(now)
              and s.seen_at > \(now - Self.sessionIdle)
              and s.created_at >= p.sessions_valid_from
            order by t.slug
            limit 1000
            """)
        guard let first = rows.first else { return nil }
        let seen: Moment = try first("seen_at")
        if seen < now - Self.seenEvery {
            _ = try await database.rows(
                .house,
                """
                update tenants.sessions set seen_at = \(now)
                where session_sha256 = \(digest) and seen_at < \(now)
                returning person_id
                """)
        }
        return try Session(rows)
    }

    /// Ends the session of a cookie.
    package func signOut(cookie: String) async throws {
        try await database.transaction(.house) { tx in try await self.end(cookie: cookie, in: tx) }
    }

    /// Forgets sessions, links and counted tries that ended long ago; for the daily tidying.
    package func forgetOld() async throws {
        let now = clock.now
        try await database.transaction(.house) { tx in
            try await tx.execute("delete from tenants.sessions where expires_at < \(now - .days(30))")
            try await tx.execute("delete from tenants.sign_in_links where expires_at < \(now - .days(30))")
            try await tx.execute("delete from tenants.sign_in_failures where window_start < \(now - .days(1))")
        }
    }

    /// A new session under a new token; whatever the browser held before is dead.
    func start(
        _ person: PersonID, replacing old: String?, at now: Moment, in tx: Transaction
    ) async throws -> NewSession {
        if let old { try await end(cookie: old, in: tx) }
        let token = Random.token(bytes: 32)
        let expires = now + Self.sessionLife
        try await tx.execute(
            """
            insert into tenants.sessions (session_sha256, person_id, created_at, seen_at, expires_at)
            values (\(Digest.sha256(Array(token.utf8))), \(person.rawValue), \(now), \(now), \(expires))
            """)
        let rows = try await tx.rows(
            """
            select p.person_id, p.email, p.installation, \(expires)::timestamptz as expires_at,
              t.tenant_id, t.slug, t.name, m.role
            from tenants.people p
            left join tenants.members m on m.person_id = p.person_id
            left join tenants.tenants t on t.tenant_id = m.tenant_id and t.closed_at is null
            where p.person_id = \(person.rawValue)
            order by t.slug
            limit 1000
            """)
        return NewSession(token: Redacted(token), session: try Session(rows))
    }

    private func end(cookie: String, in tx: Transaction) async throws {
        guard InboxToken.isWellFormed(cookie) else { return }
        try await tx.execute(
            "delete from tenants.sessions where session_sha256 = \(Digest.sha256(Array(cookie.utf8)))")
    }
}

extension Session {
    /// From the rows of one person, one a membership.
    fileprivate init(_ rows: [Row]) throws {
        guard let first = rows.first else { throw SignInError.wrong }
        let memberships = try rows.compactMap { row -> Membership? in
            guard let tenant: Int64 = try row("tenant_id") else { return nil }
            let role: String = try row("role")
            return Membership(
                tenant: TenantID(rawValue: tenant), slug: try row("slug"), name: try row("name"),
                role: Role(rawValue: role) ?? .viewer)
        }
        self.init(
            person: PersonID(rawValue: try first("person_id")), email: try first("email"), memberships: memberships,
            isInstallation: try first("installation"), expiresAt: try first("expires_at"))
    }
}

import Crypto
package import FoundationEssentials
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
            select p.person_id, p.email, p.name as person_name, p.installation, s.session_id, s.method, s.created_at,
              s.expires_at, s.seen_at, t.tenant_id, t.slug, t.name, m.role
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

    /// Forgets sessions, links, unfinished steps and counted tries that ended long ago; for the daily tidying.
    package func forgetOld() async throws {
        let now = clock.now
        try await database.transaction(.house) { tx in
            try await tx.execute("delete from tenants.sessions where expires_at < \(now - .days(30))")
            try await tx.execute("delete from tenants.sign_in_links where expires_at < \(now - .days(30))")
            try await tx.execute("delete from tenants.sign_in_failures where window_start < \(now - .days(2))")
            try await tx.execute("delete from tenants.ceremonies where expires_at < \(now)")
            try await tx.execute("delete from tenants.setup_links where expires_at < \(now - .days(30))")
            try await tx.execute(
                """
                delete from tenants.factors
                where kind = 'totp' and confirmed_at is null and created_at < \(now - .days(1))
                """)
        }
    }

    // MARK: One's own sessions

    /// A person's living sessions, the one used last first; at most 200.
    package func sessions(of session: Session) async throws -> [SessionLine] {
        let now = clock.now
        return try await database.rows(
            .house,
            """
            select s.session_id, s.method, s.address, s.user_agent, s.created_at, s.seen_at
            from tenants.sessions s
            join tenants.people p on p.person_id = s.person_id
            where s.person_id = \(session.person.rawValue) and s.expires_at > \(now)
              and s.seen_at > \(now - Self.sessionIdle) and s.created_at >= p.sessions_valid_from
            order by s.seen_at desc, s.session_id
            limit 200
            """
        ).map { try SessionLine($0, current: session.id) }
    }

    /// Ends one session of the person. False when it is not theirs or has ended.
    package func end(_ id: UUID, of session: Session, from arrival: Arrival) async throws -> Bool {
        try await database.transaction(.house) { tx in
            let ended = try await tx.execute(
                "delete from tenants.sessions where session_id = \(id) and person_id = \(session.person.rawValue)")
            guard ended > 0 else { return false }
            try await self.note(
                "person.session-ended", of: session.person, at: self.clock.now, from: arrival.address, in: tx)
            return true
        }
    }

    /// Ends every session of the person but this one.
    package func endOthers(of session: Session, from arrival: Arrival) async throws {
        try await database.transaction(.house) { tx in
            let ended = try await tx.execute(
                """
                delete from tenants.sessions
                where person_id = \(session.person.rawValue) and session_id <> \(session.id)
                """)
            guard ended > 0 else { return }
            try await self.note(
                "person.session-ended", of: session.person, at: self.clock.now, from: arrival.address,
                detail: ["count": .number(Int64(ended))], in: tx)
        }
    }

    /// Changes what the person is called; an empty name is none. Throws `SignInError.badName`.
    package func rename(_ session: Session, to name: String) async throws {
        let stored = try Self.optionalName(name)?.text
        _ = try await database.rows(
            .house,
            "update tenants.people set name = \(stored) where person_id = \(session.person.rawValue) returning person_id"
        )
    }

    /// Nil where nothing was typed. Throws `SignInError.badName`.
    static func optionalName(_ typed: String) throws(SignInError) -> Name? {
        typed.withoutOuterBlanks.isEmpty ? nil : try self.name(typed)
    }

    static func name(_ typed: String) throws(SignInError) -> Name {
        do throws(Name.Trouble) { return try Name(typed) } catch { throw .badName(error) }
    }

    // MARK: Inside

    /// A new session under a new token; whatever the browser held before is dead.
    func start(
        _ person: PersonID, by method: SignInMethod, from arrival: Arrival, at now: Moment, in tx: Transaction
    ) async throws -> NewSession {
        if let old = arrival.cookie { try await end(cookie: old, in: tx) }
        let token = Random.token(bytes: 32)
        let (id, expires) = (Random.uuid(), now + Self.sessionLife)
        try await tx.execute(
            """
            insert into tenants.sessions
              (session_sha256, session_id, person_id, method, address, user_agent, created_at, seen_at, expires_at)
            values (\(Digest.sha256(Array(token.utf8))), \(id), \(person.rawValue), \(method.rawValue),
              \(arrival.address), \(arrival.userAgent), \(now), \(now), \(expires))
            """)
        let rows = try await tx.rows(
            """
            select p.person_id, p.email, p.name as person_name, p.installation, s.session_id, s.method, s.created_at,
              s.expires_at, t.tenant_id, t.slug, t.name, m.role
            from tenants.sessions s
            join tenants.people p on p.person_id = s.person_id
            left join tenants.members m on m.person_id = p.person_id
            left join tenants.tenants t on t.tenant_id = m.tenant_id and t.closed_at is null
            where s.session_id = \(id)
            order by t.slug
            limit 1000
            """)
        journal.info(
            "signed in",
            [
                "person": .string(person.rawValue.uuidString.lowercased()), "method": .string(method.rawValue),
                "client": .string(arrival.address),
            ])
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
        let method: String = try first("method")
        self.init(
            id: try first("session_id"), person: PersonID(rawValue: try first("person_id")),
            email: try first("email"), name: try first("person_name"), memberships: memberships,
            isInstallation: try first("installation"), method: SignInMethod(rawValue: method) ?? .password,
            startedAt: try first("created_at"), expiresAt: try first("expires_at"))
    }
}

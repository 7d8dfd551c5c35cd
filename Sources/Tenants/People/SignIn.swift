import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Time

/// Bounded work off the loop; throws when its queue is full.
package typealias OffLoop = @Sendable (@escaping @Sendable () throws -> Bool) async throws -> Bool

/// What a right password leads to.
package enum Entry: Sendable {
    case entered(NewSession)
    /// The token of the next step, for a cookie of its own.
    case secondFactor(Redacted<String>)
}

/// Sign-in: passwords, second factors, one-time links, sessions. Tokens and links are stored as digests only.
///
/// A wrong password costs as much time as a person who does not exist and is answered alike. Tries are counted by
/// person and by network address before the password is looked at, so that many at once do not slip through.
package final class SignIn: Sendable {
    package static let passwordCharactersMin = PasswordTrouble.charactersMin
    package static let passwordBytesMax = PasswordTrouble.bytesMax
    /// The longest life of a session.
    package static let sessionLife = Duration.days(14)
    /// A session that nobody used for so long has ended.
    package static let sessionIdle = Duration.hours(24)
    package static let linkLife = Duration.hours(24)
    static let seenEvery = Duration.minutes(5)

    let database: Database
    let keyring: MasterKeyring
    let clock: WallClock
    let journal: Journal
    private let offLoop: OffLoop

    /// - Parameters:
    ///   - keyring: seals the secrets of code generators; without a key nobody can set one up.
    ///   - offLoop: runs what blocks for 110 ms; at most two at once, with a bounded queue.
    package init(
        database: Database, keyring: MasterKeyring = .none, clock: WallClock, journal: Journal,
        offLoop: @escaping OffLoop
    ) {
        self.database = database
        self.keyring = keyring
        self.clock = clock
        self.journal = journal
        self.offLoop = offLoop
    }

    // MARK: Passwords

    /// Signs a person in by password; whoever has a second factor must show it next.
    ///
    /// Throws `SignInError` and what the database throws.
    package func withPassword(email: String, password: [UInt8], from arrival: Arrival) async throws -> Entry {
        let now = clock.now
        let email = EmailAddress.typed(email)
        let tries = SignInTries(email: email, address: arrival.address)
        if let wait = try await tries.count(at: now, in: database) { throw SignInError.throttled(retryAfter: wait) }
        let rows = try await database.rows(
            .house, "select person_id, password from tenants.people where lower(email) = lower(\(email)) limit 1")
        let stored: String? = try rows.first.flatMap { try $0("password") }
        let person: UUID? = try rows.first.map { try $0("person_id") }
        let hash = stored.flatMap(PasswordHash.init(text:))
        let compared = hash ?? .nobody
        let matches = try await blocking { try compared.matches(Array(password.prefix(Self.passwordBytesMax))) }
        guard matches, password.count <= Self.passwordBytesMax, hash != nil, let person, let stored else {
            throw SignInError.wrong
        }
        return try await database.transaction(.house) { tx in
            // The password that was compared must still be the person's: a change meanwhile ends this sign-in.
            guard
                try await tx.row(
                    """
                    select person_id from tenants.people
                    where person_id = \(person) and password = \(stored)
                    for share
                    """) != nil
            else { throw SignInError.wrong }
            let person = PersonID(rawValue: person)
            if try await FactorStore.guards(person, in: tx) {
                return .secondFactor(try await Ceremonies.begin(.secondFactor, person: person, at: now, in: tx).token)
            }
            try await tries.forgive(at: now, in: tx)
            return .entered(try await self.start(person, by: .password, from: arrival, at: now, in: tx))
        }
    }

    /// Changes a signed-in person's password and ends every session of theirs; the caller gets a new one.
    ///
    /// Throws `SignInError.wrong`, `.throttled`, `.badPassword`, `.busy`.
    package func changePassword(
        of session: Session, from old: [UInt8], to new: [UInt8], from arrival: Arrival
    ) async throws -> NewSession {
        if let trouble = PasswordTrouble.of(new, beside: session.passwordContext) {
            throw SignInError.badPassword(trouble)
        }
        let now = clock.now
        let tries = SignInTries(email: session.email, address: arrival.address)
        if let wait = try await tries.count(at: now, in: database) { throw SignInError.throttled(retryAfter: wait) }
        let person = session.person.rawValue
        let rows = try await database.rows(
            .house, "select password from tenants.people where person_id = \(person)")
        let stored: String? = try rows.first.flatMap { try $0("password") }
        if let stored {
            guard let hash = PasswordHash(text: stored), old.count <= Self.passwordBytesMax,
                try await blocking({ try hash.matches(old) })
            else { throw SignInError.wrong }
        } else if !session.isFresh(at: now) {
            // Without a password to ask for, a browser left open could make itself one.
            throw SignInError.stale
        }
        let made = try await hash(new)
        return try await database.transaction(.house) { tx in
            guard
                try await tx.execute(
                    """
                    update tenants.people set password = \(made), sessions_valid_from = \(now)
                    where person_id = \(person) and password is not distinct from \(stored)
                    """) == 1
            else { throw SignInError.wrong }
            try await tries.forgive(at: now, in: tx)
            try await self.endAll(of: session.person, in: tx)
            try await self.note(
                "person.password-changed", of: session.person, at: now, from: arrival.address, in: tx)
            return try await self.start(session.person, by: session.method, from: arrival, at: now, in: tx)
        }
    }

    /// Sets a password from the command line; every session of the person ends.
    ///
    /// Throws `SignInError.badPassword`, `.busy`.
    package func setPassword(_ new: [UInt8], of person: PersonID) async throws {
        let context = try await passwordContext(of: person)
        if let trouble = PasswordTrouble.of(new, beside: context) { throw SignInError.badPassword(trouble) }
        let made = try await hash(new)
        let now = clock.now
        try await database.transaction(.house) { tx in
            try await tx.execute(
                """
                update tenants.people set password = \(made), sessions_valid_from = \(now)
                where person_id = \(person.rawValue)
                """)
            try await self.endAll(of: person, in: tx)
        }
    }

    /// What a password must not be made of: the person's address, and the names of their tenants.
    func passwordContext(of person: PersonID) async throws -> [String] {
        let rows = try await database.rows(
            .house,
            """
            select p.email, p.name, t.slug, t.name as tenant
            from tenants.people p
            left join tenants.members m on m.person_id = p.person_id
            left join tenants.tenants t on t.tenant_id = m.tenant_id
            where p.person_id = \(person.rawValue)
            limit 1000
            """)
        return try rows.flatMap { row in
            let words: [String?] = [try row("email"), try row("name"), try row("slug"), try row("tenant")]
            return words.compactMap { $0 }
        }
    }

    // MARK: Inside

    /// People belong to no tenant: what they change about themselves stands in the log of each of theirs.
    func note(
        _ action: String, of person: PersonID, at now: Moment, from address: String?,
        detail: [String: AuditEntry.Value] = [:], in tx: Transaction
    ) async throws {
        let rows = try await tx.rows(
            """
            select tenant_id
            from tenants.members
            where person_id = \(person.rawValue)
            order by tenant_id
            limit 1000
            """)
        for row in rows {
            try await Audit.write(
                AuditEntry(
                    tenant: TenantID(rawValue: try row("tenant_id")), at: now, actor: .person(person),
                    address: address, action: action, subject: "\(person)", detail: detail),
                in: tx)
        }
    }

    /// Ends every session, link and unfinished sign-in of a person.
    func endAll(of person: PersonID, in tx: Transaction) async throws {
        try await tx.execute("delete from tenants.sessions where person_id = \(person.rawValue)")
        try await tx.execute("delete from tenants.ceremonies where person_id = \(person.rawValue)")
        try await tx.execute(
            "update tenants.sign_in_links set used_at = \(clock.now) where person_id = \(person.rawValue) and used_at is null"
        )
    }

    func hash(_ password: [UInt8]) async throws -> String {
        let made = Made()
        _ = try await blocking {
            made.set(try PasswordHash.make(password).text)
            return true
        }
        return made.text
    }

    private func blocking(_ body: @escaping @Sendable () throws -> Bool) async throws -> Bool {
        do {
            return try await offLoop(body)
        } catch let error as CancellationError {
            throw error
        } catch {
            // A full queue, or a machine without 32 MiB to spare.
            journal.warning("a password could not be looked at", ["error": .init(error)])
            throw SignInError.busy
        }
    }
}

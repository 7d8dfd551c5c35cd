import Crypto
package import Journal
import Postgres
import Time

/// Who sets an installation up, and for whom.
package struct SetUp: Sendable {
    package let email: String
    package let name: String
    package let password: [UInt8]
    package let tenantSlug: String
    package let tenantName: String

    package init(email: String, name: String, password: [UInt8], tenantSlug: String, tenantName: String) {
        self.email = email
        self.name = name
        self.password = password
        self.tenantSlug = tenantSlug
        self.tenantName = tenantName
    }
}

extension SignIn {
    /// While there is nobody: a link whose page makes the first owner and the first tenant. Links made before end.
    /// Nil as soon as there is a person.
    package func makeSetUpLink() async throws -> Redacted<String>? {
        let now = clock.now
        return try await database.transaction(.house) { tx in
            guard try await !self.hasPeople(in: tx) else { return nil }
            let token = Random.token(bytes: 32)
            try await tx.execute("update tenants.setup_links set used_at = \(now) where used_at is null")
            try await tx.execute(
                """
                insert into tenants.setup_links (link_sha256, created_at, expires_at)
                values (\(Digest.sha256(Array(token.utf8))), \(now), \(now + Self.linkLife))
                """)
            return Redacted(token)
        }
    }

    /// Looks at a set-up link and changes nothing.
    package func isSetUpLink(_ link: String) async throws -> Bool {
        guard InboxToken.isWellFormed(link) else { return false }
        return try await database.transaction(.house) { tx in
            let found = try await tx.row(
                """
                select created_at
                from tenants.setup_links
                where link_sha256 = \(Digest.sha256(Array(link.utf8))) and used_at is null
                  and expires_at > \(self.clock.now)
                """)
            guard found != nil else { return false }
            return try await !self.hasPeople(in: tx)
        }
    }

    /// Makes the first owner and the first tenant, and signs the owner in. Only ever called for a POST.
    ///
    /// Of several at once one succeeds. Throws `SignInError.linkEnded`, `.badPassword`, `.badName`, `.busy`,
    /// `PersonStoreError.badEmail`, `TenantStoreError.badSlug`, `.badName`.
    package func setUp(_ wanted: SetUp, link: String, from arrival: Arrival) async throws -> NewSession {
        // Before any costly work: strangers without a link must not keep the hashing busy.
        guard try await isSetUpLink(link) else { throw SignInError.linkEnded }
        do throws(EmailAddress.Trouble) { _ = try EmailAddress(wanted.email) } catch {
            throw PersonStoreError.badEmail(error)
        }
        let name = try Self.optionalName(wanted.name)
        let context = [wanted.email, wanted.name, wanted.tenantSlug, wanted.tenantName]
        if let trouble = PasswordTrouble.of(wanted.password, beside: context) { throw SignInError.badPassword(trouble) }
        let made = try await hash(wanted.password)
        let now = clock.now
        return try await database.transaction(.house) { tx in
            // Two set-ups, and a set-up beside "operator add", must not both be the first.
            try await tx.execute("lock table tenants.people in share row exclusive mode")
            let used = try await tx.execute(
                """
                update tenants.setup_links set used_at = \(now)
                where link_sha256 = \(Digest.sha256(Array(link.utf8))) and used_at is null and expires_at > \(now)
                """)
            guard used == 1, try await !self.hasPeople(in: tx) else { throw SignInError.linkEnded }
            let person = try await PersonStore.findOrAdd(email: wanted.email, at: now, in: tx)
            try await tx.execute(
                "update tenants.people set name = \(name?.text), password = \(made) where person_id = \(person.id.rawValue)"
            )
            let tenant = try await TenantStore.add(
                slug: wanted.tenantSlug, name: wanted.tenantName, at: now, by: .person(person.id),
                address: arrival.address, in: tx)
            try await PersonStore.addMember(
                person, of: tenant, role: .owner, at: now, by: .person(person.id), address: arrival.address, in: tx)
            return try await self.start(person.id, by: .setUp, from: arrival, at: now, in: tx)
        }
    }

    private func hasPeople(in tx: Transaction) async throws -> Bool {
        try await tx.row("select person_id from tenants.people limit 1") != nil
    }
}

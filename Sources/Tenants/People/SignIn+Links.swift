import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Time

/// What a one-time link would do, for the page that asks before it is used.
package struct LinkStanding: Hashable, Sendable {
    package let person: PersonID
    package let email: String
    package let hasPassword: Bool
    package let expiresAt: Moment
}

extension SignIn {
    /// Makes a one-time link for a person; links made before end. House scope.
    ///
    /// Returns the link's secret part, of which only a digest is stored.
    package func makeLink(for person: PersonID, in tx: Transaction) async throws -> Redacted<String> {
        let now = clock.now
        let token = Random.token(bytes: 32)
        try await tx.execute(
            "update tenants.sign_in_links set used_at = \(now) where person_id = \(person.rawValue) and used_at is null"
        )
        try await tx.execute(
            """
            insert into tenants.sign_in_links (link_sha256, person_id, created_at, expires_at)
            values (\(Digest.sha256(Array(token.utf8))), \(person.rawValue), \(now), \(now + Self.linkLife))
            """)
        return Redacted(token)
    }

    /// Looks at a link and changes nothing: mail programs look at links before people do.
    package func look(at link: String) async throws -> LinkStanding? {
        guard InboxToken.isWellFormed(link) else { return nil }
        let rows = try await database.rows(
            .house,
            """
            select p.person_id, p.email, p.password is not null as has_password, l.expires_at
            from tenants.sign_in_links l
            join tenants.people p on p.person_id = l.person_id
            where l.link_sha256 = \(Digest.sha256(Array(link.utf8))) and l.used_at is null
              and l.expires_at > \(clock.now)
            """)
        return try rows.first.map {
            LinkStanding(
                person: PersonID(rawValue: try $0("person_id")), email: try $0("email"),
                hasPassword: try $0("has_password"), expiresAt: try $0("expires_at"))
        }
    }

    /// Uses a link up and signs its person in. Only ever called for a POST.
    ///
    /// It stands for the second factor as well: it is made on the command line for those who lost theirs.
    ///
    /// - Parameter password: a new password to set at the same time; every older session ends then.
    /// Throws `SignInError.linkEnded`, `.badPassword`, `.busy`.
    package func withLink(
        _ link: String, settingPassword password: [UInt8]? = nil, from arrival: Arrival
    ) async throws -> NewSession {
        guard InboxToken.isWellFormed(link) else { throw SignInError.linkEnded }
        // Before any costly work: strangers without a link must not keep the hashing busy.
        guard let standing = try await look(at: link) else { throw SignInError.linkEnded }
        if let password {
            let context = try await passwordContext(of: standing.person)
            if let trouble = PasswordTrouble.of(password, beside: context) { throw SignInError.badPassword(trouble) }
        }
        var made: String?
        if let password { made = try await hash(password) }
        let (now, newPassword) = (clock.now, made)
        return try await database.transaction(.house) { tx in
            guard
                let row = try await tx.row(
                    """
                    update tenants.sign_in_links set used_at = \(now)
                    where link_sha256 = \(Digest.sha256(Array(link.utf8))) and used_at is null and expires_at > \(now)
                    returning person_id
                    """)
            else { throw SignInError.linkEnded }
            let person = PersonID(rawValue: try row("person_id"))
            if let newPassword {
                try await tx.execute(
                    """
                    update tenants.people set password = \(newPassword), sessions_valid_from = \(now)
                    where person_id = \(person.rawValue)
                    """)
                try await self.endAll(of: person, in: tx)
            }
            return try await self.start(person, by: .link, from: arrival, at: now, in: tx)
        }
    }
}

import Crypto
import FoundationEssentials
import Postgres
import Time

extension SignIn {
    /// What an invitation's link would do; nil where it would do nothing. Changes nothing: mail programs look at links
    /// before people do.
    package func invitation(_ link: String) async throws -> InvitationStanding? {
        try await database.transaction(.house, isolation: .readOnly) { tx in
            try await InvitationStore.standing(of: link, at: self.clock.now, in: tx)
        }
    }

    /// Makes a signed-in person a member. Only ever called for a POST.
    ///
    /// Throws `MemberError.invitationEnded`, `.alreadyMember`.
    package func accept(invitation link: String, as session: Session, address: String?) async throws -> Tenant {
        try await database.transaction(.house) { tx in
            try await InvitationStore.accept(link, as: session.person, address: address, at: self.clock.now, in: tx)
        }
    }

    /// Makes a person with the invitation's address and a password, who is a member then and signed in. Only ever
    /// called for a POST.
    ///
    /// Throws `MemberError.invitationEnded`, `.hasAccount`, `SignInError.badPassword`, `.busy`.
    package func join(
        invitation link: String, password: [UInt8], from arrival: Arrival
    ) async throws -> NewSession {
        // Before any costly work: strangers without a link must not keep the hashing busy.
        guard let standing = try await invitation(link) else { throw MemberError.invitationEnded }
        guard !standing.hasAccount else { throw MemberError.hasAccount }
        let context = [standing.email, standing.tenantName]
        if let trouble = PasswordTrouble.of(password, beside: context) { throw SignInError.badPassword(trouble) }
        let made = try await hash(password)
        let (now, id) = (clock.now, Random.uuid())
        return try await database.transaction(.house) { tx in
            let added = try await tx.execute(
                """
                insert into tenants.people (person_id, email, password, created_at, sessions_valid_from)
                values (\(id), \(standing.email), \(made), \(now), \(now))
                on conflict ((lower(email))) do nothing
                """)
            // Two of the same address at once: whoever came second has no business with the first one's account.
            guard added == 1 else { throw MemberError.hasAccount }
            let person = PersonID(rawValue: id)
            _ = try await InvitationStore.accept(link, as: person, address: arrival.address, at: now, in: tx)
            return try await self.start(person, by: .link, from: arrival, at: now, in: tx)
        }
    }
}

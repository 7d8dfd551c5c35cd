package import FoundationEssentials
package import Postgres
package import Time

/// What pages change and show of a tenant's people, tokens and log, and of the tenants themselves. Each function is one
/// short transaction.
package final class Administration: Sendable {
    let database: Database
    let clock: WallClock
    let tokens: APITokens

    package init(database: Database, tokens: APITokens, clock: WallClock) {
        self.database = database
        self.tokens = tokens
        self.clock = clock
    }

    // MARK: People

    /// A tenant's members and open invitations.
    package func people(of tenant: TenantID) async throws -> (members: [MemberLine], invitations: [InvitationLine]) {
        try await database.transaction(.house, isolation: .readOnly) { tx in
            (try await MemberStore.members(of: tenant, in: tx), try await InvitationStore.open(of: tenant, in: tx))
        }
    }

    /// Throws `MemberError`.
    package func changeRole(
        of person: PersonID, in tenant: TenantID, to role: Role, by who: Administrator
    ) async throws {
        _ = try await database.transaction(.house) { tx in
            try await MemberStore.changeRole(of: person, in: tenant, to: role, by: who, at: self.clock.now, in: tx)
        }
    }

    /// Throws `MemberError`.
    package func remove(_ person: PersonID, from tenant: TenantID, by who: Administrator) async throws {
        try await database.transaction(.house) { tx in
            try await MemberStore.remove(person, from: tenant, by: who, at: self.clock.now, in: tx)
        }
    }

    /// Throws `MemberError`.
    package func invite(
        _ email: String, as role: Role, to tenant: TenantID, by who: Administrator
    ) async throws -> NewInvitation {
        try await database.transaction(.house) { tx in
            try await InvitationStore.add(email: email, role: role, to: tenant, by: who, at: self.clock.now, in: tx)
        }
    }

    /// Throws `MemberError`.
    package func renew(invitation id: UUID, of tenant: TenantID, by who: Administrator) async throws -> NewInvitation {
        try await database.transaction(.house) { tx in
            try await InvitationStore.renew(id, of: tenant, by: who, at: self.clock.now, in: tx)
        }
    }

    /// Throws `MemberError`.
    package func withdraw(invitation id: UUID, of tenant: TenantID, by who: Administrator) async throws {
        try await database.transaction(.house) { tx in
            try await InvitationStore.withdraw(id, of: tenant, by: who, at: self.clock.now, in: tx)
        }
    }

    /// For the daily tidying.
    package func forgetOld() async throws {
        try await database.transaction(.house) { tx in try await InvitationStore.forgetOld(at: self.clock.now, in: tx) }
    }
}

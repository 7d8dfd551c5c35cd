import FoundationEssentials
package import Postgres
package import Time

/// SQL for the members of one tenant, as its own people change them. House scope: people belong to no tenant, so every
/// statement names tenant and person together.
package enum MemberStore {
    static let membersMax = 1000

    /// A tenant's members, owners first, then by address; at most 1,000.
    package static func members(of tenant: TenantID, in tx: Transaction) async throws -> [MemberLine] {
        try await tx.rows(
            """
            select p.person_id, p.email, p.installation, p.name, m.role, m.created_at,
              p.password is not null as has_password,
              exists (
                select from tenants.factors f
                where f.person_id = p.person_id and f.confirmed_at is not null) as has_second_factor,
              (select max(s.seen_at) from tenants.sessions s where s.person_id = p.person_id) as seen_at
            from tenants.members m
            join tenants.people p on p.person_id = m.person_id
            where m.tenant_id = \(tenant.rawValue)
            order by array_position(array['owner', 'admin', 'support', 'viewer'], m.role), lower(p.email)
            limit \(membersMax)
            """
        ).map { row in
            let role: String = try row("role")
            return MemberLine(
                person: try Person(row), name: try row("name"), role: Role(rawValue: role) ?? .viewer,
                hasPassword: try row("has_password"), hasSecondFactor: try row("has_second_factor"),
                seenAt: try row("seen_at"), since: try row("created_at"))
        }
    }

    /// Gives a member another role. False where they have it already.
    ///
    /// Throws `MemberError.noMember`, `.notAllowed`, `.ownersOnly`, `.lastOwner`.
    package static func changeRole(
        of person: PersonID, in tenant: TenantID, to role: Role, by who: Administrator, at now: Moment,
        in tx: Transaction
    ) async throws -> Bool {
        let before = try await admit(who, changing: person, of: tenant, keeping: role, in: tx)
        guard MemberRules.grantable(by: before.actor).contains(role) else { throw MemberError.ownersOnly }
        if before.target == role { return false }
        try await setRole(
            of: person, in: tenant, from: before.target, to: role, by: who.actor, address: who.address, at: now, in: tx)
        return true
    }

    /// Writes another role of somebody whose present one is locked.
    static func setRole(
        of person: PersonID, in tenant: TenantID, from before: Role, to role: Role, by actor: AuditEntry.Actor,
        address: String?, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update tenants.members set role = \(role.rawValue)
            where tenant_id = \(tenant.rawValue) and person_id = \(person.rawValue)
            """)
        try await InvitationStore.withdrawUngrantable(of: person, now: role, of: tenant, at: now, in: tx)
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address, action: "member.role-changed",
                subject: "\(person)",
                detail: ["role.before": .text(before.rawValue), "role.after": .text(role.rawValue)]),
            in: tx)
    }

    /// Ends a membership. Somebody with no place left is signed out everywhere.
    ///
    /// Throws `MemberError.noMember`, `.notAllowed`, `.ownersOnly`, `.lastOwner`.
    package static func remove(
        _ person: PersonID, from tenant: TenantID, by who: Administrator, at now: Moment, in tx: Transaction
    ) async throws {
        _ = try await admit(who, changing: person, of: tenant, keeping: nil, in: tx)
        try await InvitationStore.withdrawUngrantable(of: person, now: nil, of: tenant, at: now, in: tx)
        try await PersonStore.endMembership(
            of: person, in: tenant, by: who.actor, address: who.address, at: now, in: tx)
    }

    /// Locks those it is about and every owner, in one order, so that two changes at once cannot leave a tenant without
    /// an owner, and that a role lost meanwhile counts.
    private static func admit(
        _ who: Administrator, changing person: PersonID, of tenant: TenantID, keeping role: Role?, in tx: Transaction
    ) async throws -> (actor: Role, target: Role) {
        let roles = try await lock([who.person, person], of: tenant, in: tx)
        guard let actor = roles[who.person], actor >= .admin else { throw MemberError.notAllowed }
        guard let target = roles[person] else { throw MemberError.noMember }
        guard MemberRules.mayChange(target, as: actor) else { throw MemberError.ownersOnly }
        if target == .owner, role != .owner, !roles.contains(where: { $0.key != person && $0.value == .owner }) {
            throw MemberError.lastOwner
        }
        return (actor, target)
    }

    /// The roles of the named people and of all owners, locked until the end of the transaction.
    static func lock(_ people: [PersonID], of tenant: TenantID, in tx: Transaction) async throws -> [PersonID: Role] {
        let rows = try await tx.rows(
            """
            select person_id, role
            from tenants.members
            where tenant_id = \(tenant.rawValue) and (role = 'owner' or person_id = any(\(people.map(\.rawValue))))
            order by person_id
            for update
            """)
        var roles: [PersonID: Role] = [:]
        for row in rows {
            let role: String = try row("role")
            roles[PersonID(rawValue: try row("person_id"))] = Role(rawValue: role) ?? .viewer
        }
        return roles
    }
}

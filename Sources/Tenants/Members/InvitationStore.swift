import Crypto
package import FoundationEssentials
import Journal
package import Postgres
package import Time

/// SQL for invitations. House scope; every statement names the tenant, but for the one that finds a link by its digest.
package enum InvitationStore {
    package static let life = Duration.days(7)
    private static let openMax = 200

    /// Open invitations, newest first, those that have ended among them: they can be renewed.
    package static func open(of tenant: TenantID, in tx: Transaction) async throws -> [InvitationLine] {
        try await tx.rows(
            """
            select i.invitation_id, i.email, i.role, p.email as invited_by, i.created_at, i.expires_at
            from tenants.invitations i
            left join tenants.people p on p.person_id = i.invited_by
            where i.tenant_id = \(tenant.rawValue) and i.accepted_at is null and i.withdrawn_at is null
            order by i.created_at desc, i.invitation_id
            limit \(openMax)
            """
        ).map { row in
            let role: String = try row("role")
            return InvitationLine(
                id: try row("invitation_id"), email: try row("email"), role: Role(rawValue: role) ?? .viewer,
                invitedBy: try row("invited_by"), createdAt: try row("created_at"), expiresAt: try row("expires_at"))
        }
    }

    /// Invites somebody in the name of a member.
    ///
    /// Throws `MemberError.badEmail`, `.notAllowed`, `.ownersOnly`, `.alreadyMember`, `.alreadyInvited`, `.tooMany`.
    package static func add(
        email: String, role: Role, to tenant: TenantID, by who: Administrator, at now: Moment, in tx: Transaction
    ) async throws -> NewInvitation {
        let actor = try await MemberStore.lock([who.person], of: tenant, in: tx)[who.person]
        guard let actor, actor >= .admin else { throw MemberError.notAllowed }
        guard MemberRules.grantable(by: actor).contains(role) else { throw MemberError.ownersOnly }
        return try await add(try address(email), role: role, to: tenant, inviter: who, at: now, in: tx)
    }

    /// Invites the first owner in the name of whoever runs the installation.
    ///
    /// Throws `MemberError.badEmail`, and `.hasOwner`: who runs the installation must not let anybody in beside an owner.
    package static func addFirstOwner(
        email: String, to tenant: TenantID, by who: Administrator, at now: Moment, in tx: Transaction
    ) async throws -> NewInvitation {
        guard try await !MemberStore.lock([], of: tenant, in: tx).values.contains(.owner) else {
            throw MemberError.hasOwner
        }
        let email = try address(email)
        // A second click replaces the first: nobody inside could renew it.
        try await tx.execute(
            """
            update tenants.invitations set withdrawn_at = \(now)
            where tenant_id = \(tenant.rawValue) and lower(email) = lower(\(email.text)) and accepted_at is null
              and withdrawn_at is null
            """)
        return try await add(email, role: .owner, to: tenant, inviter: who, at: now, in: tx)
    }

    private static func address(_ typed: String) throws(MemberError) -> EmailAddress {
        do throws(EmailAddress.Trouble) { return try EmailAddress(typed) } catch { throw .badEmail(error) }
    }

    private static func add(
        _ address: EmailAddress, role: Role, to tenant: TenantID, inviter who: Administrator, at now: Moment,
        in tx: Transaction
    ) async throws -> NewInvitation {
        let email = address.text
        let member = try await tx.row(
            """
            select m.person_id
            from tenants.members m
            join tenants.people p on p.person_id = m.person_id
            where m.tenant_id = \(tenant.rawValue) and lower(p.email) = lower(\(email))
            """)
        guard member == nil else { throw MemberError.alreadyMember }
        guard try await open(of: tenant, in: tx).count < openMax else { throw MemberError.tooMany }
        try await tx.execute(
            """
            update tenants.invitations set withdrawn_at = \(now)
            where tenant_id = \(tenant.rawValue) and lower(email) = lower(\(email)) and accepted_at is null
              and withdrawn_at is null and expires_at <= \(now)
            """)
        let (id, token, end) = (Random.uuid(), Random.token(bytes: 32), now + life)
        let added = try await tx.execute(
            """
            insert into tenants.invitations
              (tenant_id, invitation_id, email, role, link_sha256, invited_by, created_at, expires_at)
            values (\(tenant.rawValue), \(id), \(email), \(role.rawValue), \(digest(token)), \(who.person.rawValue),
              \(now), \(end))
            on conflict do nothing
            """)
        guard added == 1 else { throw MemberError.alreadyInvited }
        try await note("invitation.made", id, role, of: tenant, by: who, at: now, in: tx)
        return NewInvitation(id: id, email: email, role: role, token: Redacted(token), expiresAt: end)
    }

    /// Makes a new link for an open invitation; the one before ends.
    ///
    /// Throws `MemberError.noInvitation`, `.notAllowed`, `.ownersOnly`.
    package static func renew(
        _ id: UUID, of tenant: TenantID, by who: Administrator, at now: Moment, in tx: Transaction
    ) async throws -> NewInvitation {
        let role = try await admit(who, to: id, of: tenant, in: tx)
        let (token, end) = (Random.token(bytes: 32), now + life)
        guard
            let row = try await tx.row(
                """
                update tenants.invitations
                set link_sha256 = \(digest(token)), expires_at = \(end), invited_by = \(who.person.rawValue)
                where tenant_id = \(tenant.rawValue) and invitation_id = \(id) and accepted_at is null
                  and withdrawn_at is null
                returning email
                """)
        else { throw MemberError.noInvitation }
        try await note("invitation.renewed", id, role, of: tenant, by: who, at: now, in: tx)
        return NewInvitation(id: id, email: try row("email"), role: role, token: Redacted(token), expiresAt: end)
    }

    /// Throws `MemberError.noInvitation`, `.notAllowed`, `.ownersOnly`.
    package static func withdraw(
        _ id: UUID, of tenant: TenantID, by who: Administrator, at now: Moment, in tx: Transaction
    ) async throws {
        let role = try await admit(who, to: id, of: tenant, in: tx)
        let withdrawn = try await tx.execute(
            """
            update tenants.invitations set withdrawn_at = \(now)
            where tenant_id = \(tenant.rawValue) and invitation_id = \(id) and accepted_at is null
              and withdrawn_at is null
            """)
        guard withdrawn == 1 else { throw MemberError.noInvitation }
        try await note("invitation.withdrawn", id, role, of: tenant, by: who, at: now, in: tx)
    }

    private static func admit(
        _ who: Administrator, to id: UUID, of tenant: TenantID, in tx: Transaction
    ) async throws -> Role {
        let actor = try await MemberStore.lock([who.person], of: tenant, in: tx)[who.person]
        guard let actor, actor >= .admin else { throw MemberError.notAllowed }
        guard
            let row = try await tx.row(
                """
                select role
                from tenants.invitations
                where tenant_id = \(tenant.rawValue) and invitation_id = \(id) and accepted_at is null
                  and withdrawn_at is null
                for update
                """)
        else { throw MemberError.noInvitation }
        let text: String = try row("role")
        let role = Role(rawValue: text) ?? .owner
        guard MemberRules.mayChange(role, as: actor) else { throw MemberError.ownersOnly }
        return role
    }

    /// What somebody could not give any more they have not given: their open invitations end with their role.
    ///
    /// - Parameter role: what they are now; nil for somebody who was removed.
    static func withdrawUngrantable(
        of person: PersonID, now role: Role?, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        let left = role.map { MemberRules.grantable(by: $0).map(\.rawValue) } ?? []
        try await tx.execute(
            """
            update tenants.invitations set withdrawn_at = \(now)
            where tenant_id = \(tenant.rawValue) and invited_by = \(person.rawValue) and accepted_at is null
              and withdrawn_at is null and role <> all(\(left))
            """)
    }

    // MARK: The link

    /// What a link would do; nil where it would do nothing. Changes nothing.
    package static func standing(of link: String, at now: Moment, in tx: Transaction) async throws
        -> InvitationStanding?
    {
        guard InboxToken.isWellFormed(link) else { return nil }
        return try await tx.row(
            """
            select i.tenant_id, t.name, i.email, i.role, i.expires_at,
              exists (select from tenants.people p where lower(p.email) = lower(i.email)) as has_account
            from tenants.invitations i
            join tenants.tenants t on t.tenant_id = i.tenant_id
            where i.link_sha256 = \(digest(link)) and i.accepted_at is null and i.withdrawn_at is null
              and i.expires_at > \(now) and t.closed_at is null
            """
        ).map { row in
            let role: String = try row("role")
            return InvitationStanding(
                tenant: TenantID(rawValue: try row("tenant_id")), tenantName: try row("name"), email: try row("email"),
                role: Role(rawValue: role) ?? .viewer, expiresAt: try row("expires_at"),
                hasAccount: try row("has_account"))
        }
    }

    /// Uses a link up for a person. Of several at once one succeeds.
    ///
    /// Throws `MemberError.invitationEnded`, `.alreadyMember`.
    package static func accept(
        _ link: String, as person: PersonID, address: String?, at now: Moment, in tx: Transaction
    ) async throws -> Tenant {
        guard InboxToken.isWellFormed(link) else { throw MemberError.invitationEnded }
        guard
            let row = try await tx.row(
                """
                update tenants.invitations i set accepted_at = \(now), accepted_by = \(person.rawValue)
                from tenants.tenants t
                where i.link_sha256 = \(digest(link)) and i.accepted_at is null and i.withdrawn_at is null
                  and i.expires_at > \(now) and t.tenant_id = i.tenant_id and t.closed_at is null
                returning i.invitation_id, i.role, t.tenant_id, t.slug, t.name
                """)
        else { throw MemberError.invitationEnded }
        let tenant = try Tenant(row)
        let (role, id): (String, UUID) = (try row("role"), try row("invitation_id"))
        let added = try await tx.execute(
            """
            insert into tenants.members (tenant_id, person_id, role, created_at)
            values (\(tenant.id.rawValue), \(person.rawValue), \(role), \(now))
            on conflict do nothing
            """)
        guard added == 1 else { throw MemberError.alreadyMember }
        try await Audit.write(
            AuditEntry(
                tenant: tenant.id, at: now, actor: .person(person), address: address, action: "invitation.accepted",
                subject: "\(person)", detail: ["role": .text(role), "invitation": .text(id.uuidString.lowercased())]),
            in: tx)
        return tenant
    }

    /// Forgets the addresses of invitations that led to nothing, or that were used, 30 days after their end.
    package static func forgetOld(at now: Moment, in tx: Transaction) async throws {
        try await tx.execute("delete from tenants.invitations where expires_at < \(now - .days(30))")
    }

    private static func note(
        _ action: String, _ id: UUID, _ role: Role, of tenant: TenantID, by who: Administrator, at now: Moment,
        in tx: Transaction
    ) async throws {
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: who.actor, address: who.address, action: action,
                subject: "invitation \(id.uuidString.lowercased())", detail: ["role": .text(role.rawValue)]),
            in: tx)
    }

    private static func digest(_ link: String) -> [UInt8] { Digest.sha256(Array(link.utf8)) }
}

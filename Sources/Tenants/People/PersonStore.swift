import Crypto
import FoundationEssentials
package import Postgres
package import Time

/// Why a person could not be made or found.
package enum PersonStoreError: Error, Hashable, CustomStringConvertible {
    case badEmail(EmailAddress.Trouble)
    case alreadyMember(slug: String)
    case alreadyInstallation
    case noPerson
    case noMember(slug: String)
    case noInstallation

    package var description: String {
        switch self {
        case .badEmail(let trouble): "\(trouble)"
        case .alreadyMember(let slug):
            "that person is a member of \(slug) already; a new sign-in link: \"refund-desk operator reset\""
        case .alreadyInstallation:
            "that person manages the installation already; a new sign-in link: \"refund-desk operator reset\""
        case .noMember(let slug): "that person is no member of \(slug)"
        case .noInstallation: "that person does not manage the installation"
        case .noPerson: "there is nobody with that e-mail address"
        }
    }
}

/// A member of a tenant, for its page of people.
package struct Member: Hashable, Sendable {
    package let person: Person
    package let role: Role
    package let hasPassword: Bool
}

/// A person with one of the places they have; somebody with none stands there once.
package struct PersonPlace: Hashable, Sendable {
    package let person: Person
    package let hasPassword: Bool
    /// Nil for somebody who is a member of nothing.
    package let slug: String?
    package let role: Role?
}

/// SQL for people and who is a member where. House scope: people belong to no tenant.
package enum PersonStore {
    /// The person with this e-mail address, made if missing.
    ///
    /// Throws `PersonStoreError.badEmail`.
    package static func findOrAdd(email: String, at now: Moment, in tx: Transaction) async throws -> Person {
        let address: EmailAddress
        do throws(EmailAddress.Trouble) { address = try EmailAddress(email) } catch {
            throw PersonStoreError.badEmail(error)
        }
        try await tx.execute(
            """
            insert into tenants.people (person_id, email, created_at, sessions_valid_from)
            values (\(Random.uuid()), \(address.text), \(now), \(now))
            on conflict ((lower(email))) do nothing
            """)
        guard let person = try await find(email: address.text, in: tx) else { throw PersonStoreError.noPerson }
        return person
    }

    /// Whoever has this address; blanks around it and its case make no difference.
    package static func find(email: String, in tx: Transaction) async throws -> Person? {
        let typed = EmailAddress.typed(email)
        // No stored text has a NUL, and none can be asked for.
        guard !typed.contains("\0") else { return nil }
        return try await tx.row(
            "select person_id, email, installation from tenants.people where lower(email) = lower(\(typed))"
        ).map { try Person($0) }
    }

    /// Makes a person a member. Throws `PersonStoreError.alreadyMember`.
    package static func addMember(
        _ person: Person, of tenant: Tenant, role: Role, at now: Moment, by actor: AuditEntry.Actor,
        address: String? = nil, in tx: Transaction
    ) async throws {
        let added = try await tx.execute(
            """
            insert into tenants.members (tenant_id, person_id, role)
            values (\(tenant.id.rawValue), \(person.id.rawValue), \(role.rawValue))
            on conflict do nothing
            """)
        guard added == 1 else { throw PersonStoreError.alreadyMember(slug: tenant.slug) }
        try await Audit.write(
            AuditEntry(
                tenant: tenant.id, at: now, actor: actor, address: address, action: "member.added",
                subject: "\(person.id)",
                detail: ["role": .text(role.rawValue)]),
            in: tx)
    }

    /// Gives a member another role, in the name of whoever runs the installation. Nothing happens where they have it.
    ///
    /// Throws `PersonStoreError.noMember`.
    package static func changeRole(
        of person: Person, in tenant: Tenant, to role: Role, at now: Moment, by actor: AuditEntry.Actor,
        in tx: Transaction
    ) async throws {
        guard let before = try await MemberStore.lock([person.id], of: tenant.id, in: tx)[person.id] else {
            throw PersonStoreError.noMember(slug: tenant.slug)
        }
        if before == role { return }
        try await MemberStore.setRole(
            of: person.id, in: tenant.id, from: before, to: role, by: actor, address: nil, at: now, in: tx)
    }

    /// Lets a person manage the installation. Throws `PersonStoreError.alreadyInstallation`.
    package static func makeInstallation(_ person: Person, in tx: Transaction) async throws {
        let made = try await tx.execute(
            """
            update tenants.people set installation = true
            where person_id = \(person.id.rawValue) and not installation
            """)
        guard made == 1 else { throw PersonStoreError.alreadyInstallation }
    }

    /// Ends a membership; somebody with no place left is signed out everywhere. Throws `PersonStoreError.noMember`.
    package static func removeMember(
        _ person: Person, of tenant: Tenant, at now: Moment, by actor: AuditEntry.Actor, in tx: Transaction
    ) async throws {
        do {
            try await endMembership(of: person.id, in: tenant.id, by: actor, address: nil, at: now, in: tx)
        } catch MemberError.noMember {
            throw PersonStoreError.noMember(slug: tenant.slug)
        }
    }

    /// The same by id. What else hangs on a membership falls with it, by the schema. Throws `MemberError.noMember`.
    static func endMembership(
        of person: PersonID, in tenant: TenantID, by actor: AuditEntry.Actor, address: String?, at now: Moment,
        in tx: Transaction
    ) async throws {
        let removed = try await tx.execute(
            """
            delete from tenants.members
            where tenant_id = \(tenant.rawValue) and person_id = \(person.rawValue)
            """)
        guard removed == 1 else { throw MemberError.noMember }
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address, action: "member.removed",
                subject: "\(person)"),
            in: tx)
        try await signOutIfNowhere(person, at: now, in: tx)
    }

    /// Takes the installation out of somebody's hands. Throws `PersonStoreError.noInstallation`.
    package static func endInstallation(_ person: Person, at now: Moment, in tx: Transaction) async throws {
        let ended = try await tx.execute(
            "update tenants.people set installation = false where person_id = \(person.id.rawValue) and installation")
        guard ended == 1 else { throw PersonStoreError.noInstallation }
        try await signOutIfNowhere(person.id, at: now, in: tx)
    }

    /// Ends sessions and links of somebody who has no place any more; with another place they keep them, and
    /// see there what they saw before.
    private static func signOutIfNowhere(_ person: PersonID, at now: Moment, in tx: Transaction) async throws {
        let id = person.rawValue
        let place = try await tx.row(
            """
            select person_id from tenants.people p
            where p.person_id = \(id)
              and (p.installation or exists (select from tenants.members m where m.person_id = p.person_id))
            """)
        if place != nil { return }
        try await tx.execute("delete from tenants.sessions where person_id = \(id)")
        try await tx.execute(
            "update tenants.sign_in_links set used_at = \(now) where person_id = \(id) and used_at is null")
    }

    /// Who may sign in, one line a place, in the order of their addresses; at most 10,000 lines.
    ///
    /// - Parameter tenant: only its members; nil: everybody.
    package static func places(of tenant: TenantID?, in tx: Transaction) async throws -> [PersonPlace] {
        try await tx.rows(
            """
            select p.person_id, p.email, p.installation, p.password is not null as has_password, t.slug, m.role
            from tenants.people p
            left join (tenants.members m join tenants.tenants t on t.tenant_id = m.tenant_id and t.closed_at is null)
              on m.person_id = p.person_id
            where \(tenant?.rawValue)::bigint is null or m.tenant_id = \(tenant?.rawValue)::bigint
            order by lower(p.email), t.slug
            limit 10000
            """
        ).map { row in
            let role: String? = try row("role")
            return PersonPlace(
                person: try Person(row), hasPassword: try row("has_password"), slug: try row("slug"),
                role: role.flatMap(Role.init(rawValue:)))
        }
    }

    /// A tenant's members in the order of their addresses, at most 1,000.
    package static func members(of tenant: TenantID, in tx: Transaction) async throws -> [Member] {
        try await tx.rows(
            """
            select p.person_id, p.email, p.installation, m.role, p.password is not null as has_password
            from tenants.members m
            join tenants.people p on p.person_id = m.person_id
            where m.tenant_id = \(tenant.rawValue)
            order by lower(p.email)
            limit 1000
            """
        ).map { row in
            let role: String = try row("role")
            return Member(
                person: try Person(row), role: Role(rawValue: role) ?? .viewer, hasPassword: try row("has_password"))
        }
    }
}

extension Person {
    init(_ row: Row) throws(PostgresError) {
        self.init(
            id: PersonID(rawValue: try row("person_id")), email: try row("email"),
            isInstallation: try row("installation"))
    }
}

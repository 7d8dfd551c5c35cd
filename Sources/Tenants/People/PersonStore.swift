import Crypto
import FoundationEssentials
package import Postgres
package import Time

/// Why a person could not be made or found.
package enum PersonStoreError: Error, Hashable, CustomStringConvertible {
    case badEmail
    case alreadyMember(slug: String)
    case alreadyInstallation
    case noPerson

    package var description: String {
        switch self {
        case .badEmail: "that is no e-mail address"
        case .alreadyMember(let slug):
            "that person is a member of \(slug) already; a new sign-in link: \"refund-desk operator reset\""
        case .alreadyInstallation:
            "that person manages the installation already; a new sign-in link: \"refund-desk operator reset\""
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

/// SQL for people and who is a member where. House scope: people belong to no tenant.
package enum PersonStore {
    /// The person with this e-mail address, made if missing.
    ///
    /// Throws `PersonStoreError.badEmail`.
    package static func findOrAdd(email: String, at now: Moment, in tx: Transaction) async throws -> Person {
        guard Person.isEmail(email) else { throw PersonStoreError.badEmail }
        try await tx.execute(
            """
            insert into tenants.people (person_id, email, created_at, sessions_valid_from)
            values (\(Random.uuid()), \(email), \(now), \(now))
            on conflict ((lower(email))) do nothing
            """)
        guard let person = try await find(email: email, in: tx) else { throw PersonStoreError.noPerson }
        return person
    }

    package static func find(email: String, in tx: Transaction) async throws -> Person? {
        try await tx.row(
            "select person_id, email, installation from tenants.people where lower(email) = lower(\(email))"
        ).map { try Person($0) }
    }

    /// Makes a person a member. Throws `PersonStoreError.alreadyMember`.
    package static func addMember(
        _ person: Person, of tenant: Tenant, role: Role, at now: Moment, by actor: AuditEntry.Actor, in tx: Transaction
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
                tenant: tenant.id, at: now, actor: actor, action: "member.added", subject: "\(person.id)",
                detail: ["role": .text(role.rawValue)]),
            in: tx)
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

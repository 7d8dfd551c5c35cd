package import FoundationEssentials
import Postgres

/// A member by address, for choosing one.
package struct MemberName: Hashable, Sendable {
    package let id: PersonID
    package let email: String

    package init(id: PersonID, email: String) {
        self.id = id
        self.email = email
    }
}

extension Administration {
    /// A tenant's members by address, at most 1,000.
    package func memberNames(of tenant: TenantID) async throws -> [MemberName] {
        try await database.rows(
            .house,
            """
            select p.person_id, p.email
            from tenants.members m
            join tenants.people p on p.person_id = m.person_id
            where m.tenant_id = \(tenant.rawValue)
            order by lower(p.email), p.person_id
            limit 1000
            """
        ).map { MemberName(id: PersonID(rawValue: try $0("person_id")), email: try $0("email")) }
    }

    /// Addresses of people and names of tokens for the ids in a tenant's own rows; nobody else's is looked up.
    package func names(people: [PersonID], tokens: [UUID], of tenant: TenantID) async throws -> AuditNames {
        var names = AuditNames()
        if !people.isEmpty {
            let rows = try await database.rows(
                .house,
                """
                select person_id, email
                from tenants.people
                where person_id = any(\(people.map(\.rawValue)))
                limit 1000
                """)
            for row in rows { names.people[try row("person_id")] = try row("email") as String }
        }
        if !tokens.isEmpty {
            let rows = try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
                try await tx.rows(
                    """
                    select token_id, case when name = '' then prefix || '…' else name end as name
                    from tenants.tokens
                    where tenant_id = \(tenant.rawValue) and token_id = any(\(tokens))
                    limit 1000
                    """)
            }
            for row in rows { names.tokens[try row("token_id")] = try row("name") as String }
        }
        return names
    }
}

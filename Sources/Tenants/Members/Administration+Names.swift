package import FoundationEssentials
import Postgres

extension Administration {
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

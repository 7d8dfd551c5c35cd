import FoundationEssentials
import Postgres
package import Tenants
import Time

extension SampleDesk {
    package var administration: Administration {
        Administration(database: database, tokens: tokens, clock: clock.clock)
    }

    package var tokens: APITokens { APITokens(database: database, clock: clock.clock) }

    /// A member of a tenant, with the samples' password.
    @discardableResult
    package func addPerson(_ email: String, _ role: Tenants.Role, to tenant: Tenant) async throws -> Person {
        try await database.transaction(.house) { tx in
            let person = try await PersonStore.findOrAdd(email: email, at: clock.now, in: tx)
            try await PersonStore.addMember(person, of: tenant, role: role, at: clock.now, by: .commandLine, in: tx)
            try await tx.execute(
                """
                update tenants.people p set password = s.password
                from tenants.people s
                where p.person_id = \(person.id.rawValue) and s.email = 'sam@alpha.example'
                """)
            return person
        }
    }

    package func administrator(_ person: Person) -> Administrator { Administrator(person.id, address: "192.0.2.7") }
}

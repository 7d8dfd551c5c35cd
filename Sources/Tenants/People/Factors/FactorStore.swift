import FoundationEssentials
import Postgres
import Time

/// SQL for second factors. House scope: people belong to no tenant.
enum FactorStore {
    static let generatorsMax = 5
    static let passkeysMax = 20

    /// Whether a person must show more than the password.
    static func guards(_ person: PersonID, in tx: Transaction) async throws -> Bool {
        try await tx.row(
            """
            select factor_id
            from tenants.factors
            where person_id = \(person.rawValue) and confirmed_at is not null
            limit 1
            """) != nil
    }

    static func confirmed(of person: PersonID, in tx: Transaction) async throws -> [Factor] {
        try await tx.rows(
            """
            select factor_id, kind, name, created_at, last_used_at
            from tenants.factors
            where person_id = \(person.rawValue) and confirmed_at is not null
            order by created_at, factor_id
            limit 100
            """
        ).map { row throws(PostgresError) in try Factor(row) }
    }

    static func hasRoom(
        for kind: Factor.Kind, of person: PersonID, in tx: Transaction
    ) async throws -> Bool {
        // Two at once must not both find the last place free.
        _ = try await tx.row("select person_id from tenants.people where person_id = \(person.rawValue) for update")
        let taken = try await confirmed(of: person, in: tx).count { $0.kind == kind }
        return taken < (kind == .generator ? generatorsMax : passkeysMax)
    }

    static func remove(_ id: UUID, of person: PersonID, in tx: Transaction) async throws -> Factor? {
        let row = try await tx.row(
            """
            delete from tenants.factors
            where factor_id = \(id) and person_id = \(person.rawValue) and confirmed_at is not null
            returning factor_id, kind, name, created_at, last_used_at
            """)
        return try row.map { row throws(PostgresError) in try Factor(row) }
    }
}

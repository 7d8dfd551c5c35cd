package import Tenants

extension Records {
    /// What was asked for, what Apple was told, and what Apple did, of the apps and the time that a filter names.
    package func outcomes(of tenant: TenantID, _ filter: OutcomeFilter) async throws -> Outcomes {
        try await read(tenant) { tx in try await OutcomeQueries.read(of: tenant, filter, in: tx) }
    }
}

package import Tenants

extension Records {
    /// How many requests or lines a file of the register reads at once.
    package static let registerRows = 1000

    package func registerSummary(of tenant: TenantID, _ filter: RegisterFilter) async throws -> RegisterSummary {
        try await read(tenant) { tx in try await RegisterQueries.summary(of: tenant, filter, in: tx) }
    }

    /// SKUs and reasons that were asked for: newest month first, in it the most refunds first.
    ///
    /// - Parameters:
    ///   - skip: lines of earlier pages, 0 or more.
    ///   - limit: 1…1000.
    /// - Returns: the lines, and how many there are on all pages.
    package func registerLines(
        of tenant: TenantID, _ filter: RegisterFilter, skip: Int = 0, limit: Int = 50
    ) async throws -> (lines: [RegisterLine], all: Int) {
        try await read(tenant) { tx in
            try await RegisterQueries.lines(of: tenant, filter, skip: skip, limit: limit, in: tx)
        }
    }

    /// Every SKU that was sold or asked for, with its reasons, for a file: newest month first, in it by app and SKU.
    package func registerFile(
        of tenant: TenantID, _ filter: RegisterFilter, after: RegisterCursor? = nil, limit: Int = registerRows
    ) async throws -> (lines: [RegisterLine], next: RegisterCursor?) {
        try await read(tenant) { tx in
            try await RegisterQueries.file(of: tenant, filter, after: after, limit: limit, in: tx)
        }
    }

    /// Requests item by item, newest first.
    ///
    /// - Parameter limit: requests, 1…1000; each is whole.
    package func registerEntries(
        of tenant: TenantID, _ filter: RegisterFilter, after: ListCursor? = nil, limit: Int = 50
    ) async throws -> (entries: [RegisterEntry], next: ListCursor?) {
        try await read(tenant) { tx in
            try await RegisterQueries.entries(of: tenant, filter, after: after, limit: limit, in: tx)
        }
    }
}

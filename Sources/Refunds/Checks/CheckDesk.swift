package import Tenants

/// What a tenant's people are told about the things its replies depend on: the same as `refund-desk doctor` says.
/// Changes nothing, never calls Apple.
package struct CheckDesk: Sendable {
    private let look: @Sendable (Tenant) async throws -> [Check]

    package init(_ look: @escaping @Sendable (Tenant) async throws -> [Check]) { self.look = look }

    package func checks(of tenant: Tenant) async throws -> [Check] { try await look(tenant) }
}

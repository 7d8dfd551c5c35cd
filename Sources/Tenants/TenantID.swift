/// Names a tenant. Every function that touches a tenant's data takes it first.
package struct TenantID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "tenant \(rawValue)" }

    /// What belongs to no tenant: the database, the clock, the master key. It has incidents, channels and an audit log like
    /// a tenant, and no apps, members or cases; lists of tenants leave it out.
    package static let installation = TenantID(rawValue: 0)
}

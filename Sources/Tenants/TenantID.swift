/// Names a tenant. Every function that touches a tenant's data takes it first.
package struct TenantID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "tenant \(rawValue)" }
}

/// For whom a statement runs. Each scope is a role of the database, and a pool is a pool of one role.
package enum Scope: Sendable, Hashable {
    /// Everything of one tenant and nothing else.
    case tenant(Int64)
    /// The writer of notifications: adds for any tenant, reads the directory, cannot read a body.
    case intake
    /// Jobs, lanes and workers of all tenants; nothing else.
    case queue
    /// Across tenants: sign-in, administration, retention, counters. Few, named functions.
    case house

    package var role: Role {
        switch self {
        case .tenant: .tenant
        case .intake: .intake
        case .queue: .queue
        case .house: .house
        }
    }
}

/// A role of the database that a connection takes right after connecting.
package enum Role: String, Sendable, CaseIterable {
    case tenant = "refund_desk_tenant"
    case intake = "refund_desk_intake"
    case queue = "refund_desk_queue"
    case house = "refund_desk_house"
}

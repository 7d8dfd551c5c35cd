/// What a member may do in a tenant.
package enum Role: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Looks.
    case viewer
    /// Looks, and acts on cases.
    case support
    /// Acts, and changes apps, keys and settings.
    case admin
    /// All of it, people too.
    case owner

    /// A role is less than another that may do all it may and more.
    package static func < (a: Role, b: Role) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .admin: 2
        case .owner: 3
        }
    }
}

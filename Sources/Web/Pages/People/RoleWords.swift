import Tenants

extension Role {
    var label: String { Words.sentence(rawValue) }

    /// What somebody with it may do.
    var meaning: String {
        switch self {
        case .viewer: "sees cases, notifications and apps"
        case .support: "works on cases and refunds; no keys, no people"
        case .admin: "apps, keys, tokens and people, but not owners"
        case .owner: "everything, owners too"
        }
    }
}

package import FoundationEssentials
package import Tenants

/// Who asks, approves or takes back.
package enum CommerceActor: Sendable, Hashable {
    /// Somebody who signed in, with the role that they have in the tenant.
    case person(PersonID, Role, address: String?)
    /// A server of the tenant's, by an API token.
    case token(UUID)

    package var person: PersonID? {
        if case .person(let id, _, _) = self { id } else { nil }
    }
    var token: UUID? {
        if case .token(let id) = self { id } else { nil }
    }
    var address: String? {
        if case .person(_, _, let address) = self { address } else { nil }
    }

    /// Support and higher; a token has the scope for it, or it would not be here.
    package var mayAsk: Bool {
        switch self {
        case .person(_, let role, _): role >= .support
        case .token: true
        }
    }

    /// A person, never a program.
    package var mayApprove: Bool {
        if case .person(_, let role, _) = self { role >= .support } else { false }
    }

    /// Settings: limits, costs, approval, addendum.
    package var maySet: Bool {
        if case .person(_, let role, _) = self { role >= .admin } else { false }
    }

    var auditActor: AuditEntry.Actor {
        switch self {
        case .person(let id, _, _): .person(id)
        case .token(let id): .token(id)
        }
    }
}

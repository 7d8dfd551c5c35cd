package import FoundationEssentials
package import Tenants

/// Whoever does something about a case: a member on a page, or the tenant's own server for somebody.
package enum CaseActor: Sendable, Hashable {
    case person(PersonID, name: String)
    case token(UUID, name: String)

    /// As it is kept.
    var name: String {
        switch self {
        case .person(_, let name), .token(_, let name): Text.kept(name, bytesMax: 300)
        }
    }

    var person: PersonID? { if case .person(let id, _) = self { id } else { nil } }
    var token: UUID? { if case .token(let id, _) = self { id } else { nil } }

    var actor: AuditEntry.Actor {
        switch self {
        case .person(let id, _): .person(id)
        case .token(let id, _): .token(id)
        }
    }

    /// - Throws: `Refused`: `field` for a name that cannot be shown.
    func check(_ field: String) throws {
        if case .token(_, let name) = self, !Text.isPlain(name) {
            throw DecidingDesk.Refused.field(field, "The name \(Text.notPlain).")
        }
    }
}

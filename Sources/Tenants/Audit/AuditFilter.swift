package import FoundationEssentials
import Postgres
package import Time

/// What a list of audit entries is narrowed to. Nil means "any".
package struct AuditFilter: Hashable, Sendable {
    package enum Who: Hashable, Sendable {
        case person(UUID)
        case token(UUID)
        case commandLine
        case program
    }

    package var who: Who?
    package var action: String?
    /// As it stands in the entry: `app 7`.
    package var subject: String?
    /// At or after this moment.
    package var from: Moment?
    /// Before this moment.
    package var to: Moment?

    package init() {}

    var condition: SQL {
        var all: [SQL] = ["true"]
        switch who {
        case .person(let id): all.append("person_id = \(id)")
        case .token(let id): all.append("token_id = \(id)")
        case .commandLine: all.append(Self.by("command line"))
        case .program: all.append(Self.by("program"))
        case nil: break
        }
        if let action { all.append("action = \(action)") }
        if let subject { all.append("subject = \(subject)") }
        if let from { all.append("at >= \(from)") }
        if let to { all.append("at < \(to)") }
        return SQL.joined(all, by: " and ")
    }

    /// Entries of nobody say in their detail who it was.
    private static func by(_ word: String) -> SQL {
        "person_id is null and token_id is null and convert_from(detail, 'UTF8')::jsonb ->> 'by' = \(word)"
    }
}

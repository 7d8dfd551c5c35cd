import FoundationEssentials
import HTTP
import Refunds
package import Tenants
import Time

/// What the address of the audit log says.
package struct AuditListQuery: Hashable, Sendable {
    package var who: AuditFilter.Who?
    package var action: String?
    package var subject: String?
    /// Days in UTC, `2026-06-15`; both belong to what is shown.
    package var from: String?
    package var to: String?
    /// The number of the entry before which the page begins.
    package var before: Int64?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    private static let subjectCharactersMax = 200

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(
            query, known: ["who", "action", "subject", "from", "to", "before"] + CSVForm.names)
        who = ignored.read("who", query, AuditFilter.Who.init(text:))
        action = ignored.read("action", query) { AuditWords.isAction($0) ? $0 : nil }
        subject = ignored.read("subject", query) { $0.count <= Self.subjectCharactersMax ? $0 : nil }
        from = ignored.read("from", query) { Moment(date: $0) == nil ? nil : $0 }
        let first = from.flatMap { Moment(date: $0) }
        to = ignored.read("to", query) { text in
            Moment(date: text).flatMap { day in first.map { $0 <= day } ?? true ? text : nil }
        }
        before = ignored.read("before", query) { text in
            Int64(text).flatMap { $0 > 0 && String($0) == text ? $0 : nil }
        }
    }

    var fields: [(String, String?)] {
        [
            ("who", who?.text), ("action", action), ("subject", subject), ("from", from), ("to", to),
            ("before", before.map { "\($0)" }),
        ]
    }

    package var isFiltered: Bool { who != nil || action != nil || subject != nil || from != nil || to != nil }

    var filter: AuditFilter {
        var filter = AuditFilter()
        filter.who = who
        filter.action = action
        filter.subject = subject
        filter.from = from.flatMap { Moment(date: $0) }
        filter.to = to.flatMap { Moment(date: $0) }.map { $0 + .days(1) }
        return filter
    }

    /// The same list from another place on.
    func from(_ before: Int64?) -> AuditListQuery {
        var copy = self
        copy.before = before
        return copy
    }

    /// The same list, about one thing only.
    func about(_ subject: String) -> AuditListQuery {
        var copy = AuditListQuery()
        copy.subject = subject
        return copy
    }
}

extension AuditFilter.Who {
    init?(text: String) {
        switch text {
        case "command-line": self = .commandLine
        case "program": self = .program
        default:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let id = UUID(uuidString: String(parts[1])), id.text == parts[1] else { return nil }
            switch parts[0] {
            case "person": self = .person(id)
            case "token": self = .token(id)
            default: return nil
            }
        }
    }

    var text: String {
        switch self {
        case .person(let id): "person:\(id.text)"
        case .token(let id): "token:\(id.text)"
        case .commandLine: "command-line"
        case .program: "program"
        }
    }
}

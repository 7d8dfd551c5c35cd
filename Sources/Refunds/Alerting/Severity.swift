/// How bad it is. PagerDuty's four, from the least.
package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Told to nobody: it stands on the page.
    case info
    /// Will become a trouble when nobody looks: an old key, a receiver that is away.
    case warning
    /// Replies fail, and there is time left.
    case error
    /// Money is lost within hours.
    case critical

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        case .critical: 3
        }
    }

    package static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
}

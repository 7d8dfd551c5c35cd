import AppStore
import Time

/// How often, how far back and how much of Apple's notification history is read.
///
/// Source: App Store Server API, Get Notification History (read 2026-08): 180 days in Production, 30 in the Sandbox.
struct HistoryLimits: Sendable {
    /// Pages of one window; a window that has more is read in parts.
    var pagesMax = 500
    /// Items that are taken of one page; Apple sends twenty.
    var itemsMax = 200
    /// Items of one page that are set aside because they are not to be believed; the rest is left out.
    var refusalsMax = 10

    /// The advance of a window that cannot be made shorter: more pages than `pagesMax` in it have no end.
    static let spanMin: Duration = .minutes(1)

    /// From the beginning of a sweep to the next one's.
    ///
    /// In the Sandbox a request is to be answered within five minutes, and Apple delivers it once and never again.
    static func every(in environment: Environment) -> Duration {
        environment == .production ? .minutes(5) : .minutes(2)
    }

    /// What was signed so recently may be on its way here, and is left to the next sweep.
    static let settling: Duration = .seconds(30)

    /// How far a window reaches back behind the one before: what Apple lists late, and what was locked just then, is
    /// found the next time.
    static func overlap(of pass: History.Pass) -> Duration {
        switch pass {
        case .failures: .hours(2)
        case .all: .minutes(30)
        }
    }

    /// What Apple keeps, less an hour for clocks that disagree.
    static func kept(in environment: Environment) -> Duration {
        (environment == .production ? Duration.days(180) : .days(30)) - .hours(1)
    }
}

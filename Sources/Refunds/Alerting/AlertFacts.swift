import FoundationEssentials
import Tenants
import Time

/// What the rules look at: how one tenant stands at one moment. Production of real apps only, where nothing else is said:
/// Sandbox and rehearsal page nobody.
struct AlertFacts: Sendable {
    /// A request without an answer.
    struct Unanswered: Sendable, Hashable {
        let caseID: UUID
        let app: AppID
        let requestedAt: Moment
        let deadline: Moment
        /// Nil: not held for a person.
        var heldUntil: Moment?
        var attempts = 0
        /// Of the newest attempt.
        var result: String?
        var status: Int?
        var code: Int64?
        var message: String?
        var price: Int64?
        var currency: String?
    }

    struct Missed: Sendable, Hashable {
        let caseID: UUID
        let app: AppID
        let deadline: Moment
        var price: Int64?
        var currency: String?
    }

    struct StoppedQueue: Sendable, Hashable {
        let app: AppID
        let since: Moment
        let waiting: Int
        var call: String?
        var status: Int?
        var code: Int64?
        var message: String?
    }

    struct FailedRequests: Sendable, Hashable {
        let app: AppID
        let count: Int
        let newest: String
    }

    struct Refusals: Sendable, Hashable {
        let app: AppID
        let reason: String
        /// In the running hour and the one before.
        let recent: Int
        /// In such a time, on average of the week before.
        let usual: Double
    }

    struct Relay: Sendable, Hashable {
        let app: AppID
        let failures: Int
        let lastSuccessAt: Moment?
        let lastError: String
        let waiting: Int
    }

    struct Callback: Sendable, Hashable {
        let app: AppID
        /// Tries in a row without an answer.
        let failures: Int
        /// Requests in a row that went without one.
        let unanswered: Int
        let lastSuccessAt: Moment?
        let lastError: String
    }

    struct Withheld: Sendable, Hashable {
        let app: AppID
        /// Of the newest requests of a week.
        let withoutConsent: Int
        let requests: Int
    }

    struct Rescinded: Sendable, Hashable {
        let app: AppID
        /// Apple accounts whose consent Apple took back, and about which nobody decided.
        let customers: Int
    }

    /// An app that is quieter than it ever was, and what the TEST notification told.
    struct Silence: Sendable, Hashable {
        enum Test: Sendable, Hashable {
            /// Asked for, and not here yet.
            case awaited(since: Moment)
            /// Not to be asked for: why.
            case impossible(String)
        }

        let app: AppID
        let lastAt: Moment
        let usualGap: Duration
        let test: Test
    }

    struct HistoryGap: Sendable, Hashable {
        let app: AppID
        let standing: HistoryStanding
    }

    let now: Moment
    var apps: [App] = []
    var keys: [KeyStory] = []
    var unreadable: [UnreadableSecret] = []
    /// Soonest deadline first, at most `unansweredMax`.
    var unanswered: [Unanswered] = []
    var missed: [Missed] = []
    var stopped: [StoppedQueue] = []
    var failed: [FailedRequests] = []
    var refusals: [Refusals] = []
    var relays: [Relay] = []
    var callbacks: [Callback] = []
    var withheld: [Withheld] = []
    var rescinded: [Rescinded] = []
    /// Nil where they were not counted: what they would show stays as it is.
    var drifts: [DriftCounts]?
    var silences: [Silence] = []
    var histories: [HistoryGap] = []
    /// Our clock minus Apple's, as Apple's newest answer told.
    var clockOffset: Duration?
    var channels: [Channel] = []

    static let unansweredMax: Int64 = 500

    func app(_ id: AppID) -> App? { apps.first { $0.id == id } }
}

import AppStore
import Queue
import Time

/// When an app's server is asked, and again. Pure.
enum AskPlan {
    /// One call, all of it.
    static let callTotal: Duration = .seconds(10)
    /// Less than this is no time to ask in.
    static let patienceMin: Duration = .seconds(2)
    /// Failures in a row after which a server is left alone for growing whiles.
    static let failuresBeforePause = 3
    static let pauseMax: Duration = .minutes(5)

    /// Whether it is worth asking at all: a late request is answered at once.
    static func isWorthAsking(_ window: ReplyWindow, at now: Moment) -> Bool {
        !window.isLate && now + patienceMin < window.callbackUntil
    }

    /// The longest wait between two tries.
    static func ceiling(in environment: Environment) -> Duration {
        environment == .production ? .minutes(10) : .seconds(5)
    }

    /// - Parameters:
    ///   - tries: that were made.
    ///   - random: from 0 to 1.
    /// - Returns: nil where the time is over before another try.
    static func next(
        after tries: Int, retryAfter: Duration?, window: ReplyWindow, at now: Moment, random: Double
    ) -> Moment? {
        let delay = RetryPolicy.delay(attempt: max(1, tries), random: random, ceiling: ceiling(in: window.environment))
        let moment = now + max(delay, retryAfter ?? .zero)
        return moment < window.callbackUntil ? moment : nil
    }

    /// For how long a server is left alone that failed so often in a row; nil: not at all.
    ///
    /// Not in the sandbox: its requests have no time for it.
    static func pause(after failures: Int, in environment: Environment, random: Double) -> Duration? {
        guard environment == .production, failures >= failuresBeforePause else { return nil }
        return RetryPolicy.delay(attempt: failures, random: random, ceiling: pauseMax)
    }
}

import Queue
import Time

/// When a round is called again. Pure.
enum ReplyPlan {
    /// The wait for a key that is missing or does not open: nothing tells us when it is repaired.
    /// Every fifteen seconds for as long as a sandbox waits, then every minute.
    static func keyLook(looks: Int) -> Duration { looks <= 20 ? .seconds(15) : .seconds(60) }

    /// - Parameters:
    ///   - attempts: of the round, the one that just ended among them.
    ///   - random: from 0 to 1.
    /// - Returns: nil where no further call would begin in time.
    static func next(
        after result: ReplyResult, attempts: [Attempt], window: ReplyWindow, at now: Moment, random: Double
    ) -> Moment? {
        let moment: Moment
        switch result.result {
        case .accepted, .refused: return nil
        case .credentials: moment = result.notBefore ?? now + keyLook(looks: attempts.count)
        case .notSent: moment = now + .seconds(1)
        case .retry, .unknown:
            // A 429 or an attempt that never left say nothing of how Apple does.
            let failures = attempts.filter { $0.result == .unknown || ($0.result == .retry && $0.status != 429) }.count
            let delay = RetryPolicy.delay(attempt: max(1, failures), random: random, ceiling: window.retryCeiling)
            let spread = Duration.milliseconds(Int64(random * 500))
            moment = max(now + delay, result.notBefore.map { $0 + spread } ?? now)
        }
        return window.mayBegin(at: moment) ? moment : nil
    }
}

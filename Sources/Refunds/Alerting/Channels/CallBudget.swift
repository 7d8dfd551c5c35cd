import Synchronization
import Time

/// So many calls within a sliding time for each key, and no more.
///
/// Kept in the memory of this process: a second process has a budget of its own, so the number is half of what the
/// service allows.
final class CallBudget: Sendable {
    private let callsMax: Int
    private let span: Duration
    private let spent = Mutex<[String: [Moment]]>([:])

    init(callsMax: Int, per span: Duration) {
        self.callsMax = callsMax
        self.span = span
    }

    /// Spends calls, all or none.
    ///
    /// - Returns: nil when they were spent; else how long until they could be.
    func spend(_ calls: Int, of key: String, at now: Moment) -> Duration? {
        spent.withLock { spent in
            // A clock that was set back must not hold anybody up: what lies ahead is forgotten.
            for (name, moments) in spent {
                let fresh = moments.filter { $0 > now - span && $0 <= now }
                spent[name] = fresh.isEmpty ? nil : fresh
            }
            var moments = spent[key] ?? []
            let excess = moments.count + calls - callsMax
            if excess > 0 {
                let leaving = min(excess, moments.count)
                return leaving > 0 ? moments[leaving - 1] + span - now : span
            }
            moments += Array(repeating: now, count: calls)
            spent[key] = moments
            return nil
        }
    }
}

import Synchronization

/// How much longer than usual calls wait for their answers: so much later they may have arrived.
///
/// Usual is the quickest call of late. Most of the rest is time that Apple takes to answer, so what is said here is the
/// most that a call can have been late, not what it was.
final class Lateness: Sendable {
    private let usual = Mutex<Duration?>(nil)

    /// Notes a call.
    ///
    /// - Parameter took: from its turn to the answer.
    /// - Returns: how much longer than the quickest of late it took; zero of the first.
    func excess(of took: Duration) -> Duration {
        usual.withLock { usual in
            guard let known = usual else {
                usual = took
                return .zero
            }
            // A network that became slower for good is the usual one after a hundred calls or so.
            usual = min(took, known + (took - known) / 64)
            return max(.zero, took - known)
        }
    }
}

import Synchronization

/// Carries a text out of a closure that runs on another thread.
final class Made: Sendable {
    private let value = Mutex("")
    func set(_ text: String) { value.withLock { $0 = text } }
    var text: String { value.withLock { $0 } }
}

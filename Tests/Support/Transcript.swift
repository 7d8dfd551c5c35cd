import Synchronization

/// What a program printed so far, and who waits for it to print more.
final class Transcript: Sendable {
    private struct State {
        var text = ""
        var hasEnded = false
        var waiting: [(words: String, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Mutex(State())

    var text: String { state.withLock { $0.text } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func append(_ more: String) {
        let ready = state.withLock { state in
            state.text += more
            let ready = state.waiting.filter { state.text.contains($0.words) }
            state.waiting.removeAll { state.text.contains($0.words) }
            return ready
        }
        for one in ready { one.continuation.resume() }
    }

    /// When the program ends, nobody waits any longer.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.hasEnded = true
            return state.waiting
        }
        for one in waiting { one.continuation.resume() }
    }

    /// Returns when `words` were printed, or the program has ended.
    func wait(for words: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.hasEnded || state.text.contains(words) { return true }
                state.waiting.append((words, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

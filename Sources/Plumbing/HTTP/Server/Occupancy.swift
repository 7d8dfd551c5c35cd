import Synchronization

/// How many connections are open, how much memory bodies take, and who waits for all to end.
final class Occupancy: Sendable {
    private struct State {
        var connections = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let bodyBytes = Atomic<Int>(0)

    var connections: Int { state.withLock { $0.connections } }

    /// False when there are already `max`.
    func enter(max: Int) -> Bool {
        state.withLock { state in
            guard state.connections < max else { return false }
            state.connections += 1
            return true
        }
    }

    func leave() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.connections -= 1
            guard state.connections == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no connection is open.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                guard state.connections > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// The sum after the change.
    func addBodyBytes(_ count: Int) -> Int { bodyBytes.wrappingAdd(count, ordering: .relaxed).newValue }
}

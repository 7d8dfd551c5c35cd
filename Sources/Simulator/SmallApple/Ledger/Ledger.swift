package import Loop
import Synchronization

/// Every call received, in order; tests and people read it to judge what a client did.
package final class Ledger: Sendable {
    private struct Waiter: Sendable {
        let isWanted: @Sendable ([Call]) -> Bool
        let resume: CheckedContinuation<[Call]?, Never>
    }

    private struct State {
        var calls: [Call] = []
        var forgotten = 0
        var received = 0
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let callsMax: Int
    private let state = Mutex(State())

    /// - Parameter callsMax: more calls than this are forgotten, oldest first.
    init(callsMax: Int = 100_000) { self.callsMax = callsMax }

    /// The calls that were finished or are being answered, oldest first.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// How many calls were ever received, those forgotten too.
    package var received: Int { state.withLock { $0.received } }

    package func forget() {
        state.withLock { state in
            state.forgotten += state.calls.count
            state.calls = []
        }
    }

    /// The next number, and the call kept under it.
    func begin(_ make: (Int) -> Call) -> Call {
        state.withLock { state in
            state.received += 1
            if state.calls.count >= callsMax {
                let drop = max(1, callsMax / 10)
                state.calls.removeFirst(drop)
                state.forgotten += drop
            }
            let call = make(state.received)
            state.calls.append(call)
            return call
        }
    }

    /// Keeps what became of a call, and wakes whoever waited for it.
    func finish(_ call: Call) {
        let woken: [(Waiter, [Call])] = state.withLock { state in
            let place = call.number - 1 - (state.received - state.calls.count)
            if state.calls.indices.contains(place), state.calls[place].number == call.number {
                state.calls[place] = call
            }
            guard !state.waiters.isEmpty else { return [] }
            let finished = state.calls.filter { $0.ending != nil }
            let ready = state.waiters.filter { $0.value.isWanted(finished) }
            for key in ready.keys { state.waiters[key] = nil }
            return ready.values.map { ($0, finished) }
        }
        for (waiter, calls) in woken { waiter.resume.resume(returning: calls) }
    }

    /// Waits until the finished calls are as wanted, and returns them; nil when `limit` passes first.
    package func wait(
        within limit: Duration = .seconds(20), on loop: EventLoop, until isWanted: @escaping @Sendable ([Call]) -> Bool
    ) async -> [Call]? {
        await withCheckedContinuation { (continuation: CheckedContinuation<[Call]?, Never>) in
            let place: Int? = state.withLock { state in
                let finished = state.calls.filter { $0.ending != nil }
                if isWanted(finished) {
                    continuation.resume(returning: finished)
                    return nil
                }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = Waiter(isWanted: isWanted, resume: continuation)
                return state.nextWaiter
            }
            guard let place else { return }
            _ = loop.after(limit) {
                let late = self.state.withLock { $0.waiters.removeValue(forKey: place) }
                late?.resume.resume(returning: nil)
            }
        }
    }
}

import Synchronization

/// One thing that happens later, unless it is cancelled before.
package final class Timer: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    /// From any thread. What the timer held is let go at once.
    package func cancel() { body.withLock { $0 = nil } }

    var isCancelled: Bool { body.withLock { $0 == nil } }

    func take() -> (@Sendable () -> Void)? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }
}

extension EventLoop {
    /// Runs `body` on the loop when `delay` has passed by the monotonic clock. From any thread.
    @discardableResult
    package func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> Timer {
        let timer = Timer(body)
        let (seconds, attoseconds) = delay.components
        let nanoseconds = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let due =
            Self.now &+ (nanoseconds.overflow ? UInt64(Int64.max) / 2 : nanoseconds.partialValue)
            &+ UInt64(max(0, attoseconds / 1_000_000_000))
        if isCurrent {
            timers.add(timer, due: due)
        } else {
            post { self.timers.add(timer, due: due) }
        }
        return timer
    }

    /// Waits without holding a thread.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        let nap = Nap()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                nap.begin(continuation)
                nap.timer(after(duration) { nap.end(.success(())) })
            }
        } onCancel: {
            nap.end(.failure(CancellationError()))
        }
    }
}

/// One sleep, ended once: by its timer or by cancellation, on whatever thread that happens.
private final class Nap: Sendable {
    private enum State {
        case awake
        case asleep(CheckedContinuation<Void, any Error>, Timer?)
        case ended(Result<Void, any Error>)
    }
    private let state = Mutex(State.awake)

    func begin(_ continuation: CheckedContinuation<Void, any Error>) {
        let ended: Result<Void, any Error>? = state.withLock { state in
            if case .ended(let result) = state { return result }
            state = .asleep(continuation, nil)
            return nil
        }
        if let ended { continuation.resume(with: ended) }
    }

    func timer(_ timer: Timer) {
        let isOver = state.withLock { state in
            guard case .asleep(let continuation, _) = state else { return true }
            state = .asleep(continuation, timer)
            return false
        }
        if isOver { timer.cancel() }
    }

    func end(_ result: Result<Void, any Error>) {
        let sleeper: (CheckedContinuation<Void, any Error>, Timer?)? = state.withLock { state in
            switch state {
            case .awake:
                state = .ended(result)
                return nil
            case .asleep(let continuation, let timer):
                state = .ended(result)
                return (continuation, timer)
            case .ended: return nil
            }
        }
        sleeper?.1?.cancel()
        sleeper?.0.resume(with: result)
    }
}

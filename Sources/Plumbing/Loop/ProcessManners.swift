import Dispatch
import Glibc
import Synchronization

/// What a process that serves asks of the system, once, at its start.
package enum ProcessManners {
    /// A connection that the other side closed is an error of that connection, not the end of the process.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Keys would stand in a core file.
    package static func forbidCoreDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    /// Ends the process without tidying up.
    package static func endAtOnce(_ code: CInt) -> Never { _exit(code) }

    /// Lets the process hold as many descriptors as it is allowed to.
    ///
    /// - Returns: how many.
    @discardableResult
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

/// SIGTERM and SIGINT, as something to wait for. The second of them ends the process at once.
package final class StopSignals: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Takes the two signals over from now on.
    package init() {
        let queue = DispatchQueue(label: "signals")
        for number in [SIGTERM, SIGINT] {
            // Ignored, or the default action would end the process before the source is told.
            signal(number, SIG_IGN)
            sources.withLock { sources in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [weak self] in self?.arrived() }
                source.activate()
                sources.append(source)
            }
        }
    }

    /// Whether the first of them has arrived.
    package var isDue: Bool { state.withLock { $0.count > 0 } }

    /// Returns when the first of them has arrived.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                if state.count == 0 { state.waiting.append(continuation) }
                return state.count > 0
            }
            if isDue { continuation.resume() }
        }
    }

    private func arrived() {
        let (count, waiting) = state.withLock { state in
            state.count += 1
            defer { state.waiting = [] }
            return (state.count, state.waiting)
        }
        if count > 1 { ProcessManners.endAtOnce(1) }
        for continuation in waiting { continuation.resume() }
    }
}

import Journal
import Loop
import Time

/// How it ends, and when.
extension Connection {
    /// Says that nothing more will come and reads on for a while: a close with unread bytes would
    /// make the peer's system throw the answer away.
    func linger() {
        guard let raw = descriptor?.raw else { return }
        phase = .lingering
        began = EventLoop.now
        pending = []
        Socket.shutDownWriting(raw)
        watch?.change(.read)
    }

    func close() {
        guard phase != .closed else { return }
        if let exchange, phase == .answering { setting.note(exchange, isBrokenOff: true) }
        phase = .closed
        watch?.cancel()
        watch = nil
        descriptor = nil
        exchange = nil
        pending = []
        output = []
        uncharge()
        handling?.cancel()
        handling = nil
        drainWaiter?.resume(returning: false)
        drainWaiter = nil
        let id = ObjectIdentifier(self)
        hall.assumeIsolated { $0.forget(id) }
    }

    /// Looks whether the client took too long. Called a few times within the shortest limit.
    func check(now: UInt64) {
        let limits = setting.limits
        let age = Duration.nanoseconds(Int64(clamping: now &- min(now, began)))
        switch phase {
        case .head where pending.isEmpty: if age > limits.idleTime { close() }
        case .head: if age > limits.headerTime { refuse(.slow) }
        case .body:
            if !keepsPace(exchange?.body?.bytes.count ?? 0, age: age, now: now) { refuse(.slow) }
        case .answering:
            guard !output.isEmpty, !keepsPace(outputSent, age: age, now: now) else { return }
            setting.counters.add("http_slow_readers_total", help: "Connections closed because an answer was not read.")
            close()
        case .lingering: if age > limits.lingerTime { close() }
        case .whole, .closed: break
        }
    }

    /// Whether a transfer keeps the minimum rate: in each window of the grace time, so that a quick
    /// start buys no time to stand still later.
    private func keepsPace(_ bytes: Int, age: Duration, now: UInt64) -> Bool {
        let window = setting.limits.transferGrace
        guard age > window else { return true }
        let due = window.wholeMilliseconds * Int64(setting.limits.bytesPerSecondMin) / 1000
        guard Int64(bytes - windowBytes) >= max(1, due) else { return false }
        began = now
        windowBytes = bytes
        return true
    }

    /// Ends after the request that runs or has begun to arrive; at once when there is none.
    func stopSoon() {
        isStopping = true
        if phase == .head, pending.isEmpty { close() }
    }

    /// Ends now, whatever runs.
    func stopNow() { close() }
}

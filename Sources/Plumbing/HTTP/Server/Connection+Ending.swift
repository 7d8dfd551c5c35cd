import Journal
import Loop
import Time

/// How it ends, and when.
extension Connection {
    /// How long somebody who has just connected may take to begin while the server stops.
    static let freshTime = Duration.milliseconds(500)

    /// Nothing was asked over it yet, and it is as young as that.
    private var isFresh: Bool {
        !hasAsked && Duration.nanoseconds(Int64(clamping: EventLoop.now &- min(EventLoop.now, began))) < Self.freshTime
    }

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
    ///
    /// What has arrived unread counts: closing over it would break off a request that its sender believes to be on its
    /// way. Who has only just come is given a moment to say what they came for.
    func stopSoon() {
        guard !isStopping else { return }
        isStopping = true
        if phase == .head, pending.isEmpty { read() }
        guard phase == .head, pending.isEmpty, parser.isAtStart else { return }
        guard isFresh else { return close() }
        hall.loop.after(Self.freshTime) { [weak self] in
            self?.assumeIsolated { connection in
                if connection.phase == .head, connection.pending.isEmpty, connection.parser.isAtStart {
                    connection.close()
                }
            }
        }
    }

    /// Ends now, whatever runs.
    func stopNow() { close() }
}

/// Who has which connection of a pool, who waits, and when to connect: pure, without a clock.
///
/// Every event returns what is to be done about it. Times are counted from any fixed moment.
struct PoolState {
    typealias ConnectionID = Int
    typealias WaiterID = Int

    enum Action: Equatable {
        case hand(ConnectionID, to: WaiterID)
        case refuse(WaiterID, Refusal)
        /// Begin to connect when `after` has passed; the answer is `connected` or `failed`.
        case connect(ConnectionID, after: Duration)
        case close(ConnectionID)
        /// The pool was closed, and its last connection is gone.
        case drained
    }

    enum Refusal: Equatable {
        /// As many wait as may.
        case full
        /// It waited as long as it may.
        case tooLong
        case closed
    }

    private struct Waiter {
        let id: WaiterID
        let until: Duration
    }

    private struct Idle {
        let id: ConnectionID
        let since: Duration
    }

    let size: Int
    let waitersMax: Int
    /// Connections that nobody needed for so long are closed, except one.
    let idleMax: Duration

    private var waiters: [Waiter] = []
    private var idle: [Idle] = []
    private var lent: Set<ConnectionID> = []
    private var connecting: Set<ConnectionID> = []
    private var lastID = 0
    private var failures = 0
    private var notBefore: Duration = .zero
    private(set) var isClosed = false

    init(size: Int, waitersMax: Int, idleMax: Duration) {
        self.size = max(1, size)
        self.waitersMax = waitersMax
        self.idleMax = idleMax
    }

    /// Connections that stand or are being made.
    var count: Int { idle.count + lent.count + connecting.count }
    /// The next caller gets a connection at once.
    var hasIdle: Bool { !isClosed && waiters.isEmpty && !idle.isEmpty }
    var waiterCount: Int { waiters.count }
    var lentCount: Int { lent.count }

    // MARK: Events

    /// Somebody wants a connection, and waits for it until then.
    mutating func ask(_ waiter: WaiterID, until: Duration, now: Duration) -> [Action] {
        if isClosed { return [.refuse(waiter, .closed)] }
        // The one that was used last: the others may grow old and be closed.
        if waiters.isEmpty, let last = idle.popLast() {
            lent.insert(last.id)
            return [.hand(last.id, to: waiter)]
        }
        guard waiters.count < waitersMax else { return [.refuse(waiter, .full)] }
        waiters.append(Waiter(id: waiter, until: until))
        return connectIfNeeded(now)
    }

    /// A waiter went away.
    mutating func withdraw(_ waiter: WaiterID) { waiters.removeAll { $0.id == waiter } }

    /// A borrower is done with its connection, which stands.
    mutating func giveBack(_ id: ConnectionID, now: Duration) -> [Action] {
        guard lent.remove(id) != nil else { return [] }
        return offer(id, now)
    }

    mutating func connected(_ id: ConnectionID, now: Duration) -> [Action] {
        guard connecting.remove(id) != nil else { return [.close(id)] }
        failures = 0
        notBefore = .zero
        return offer(id, now) + connectIfNeeded(now)
    }

    mutating func failed(_ id: ConnectionID, now: Duration) -> [Action] {
        guard connecting.remove(id) != nil else { return [] }
        failures += 1
        notBefore = now + Self.backOff(afterFailures: failures)
        return connectIfNeeded(now) + drainedIfSo()
    }

    /// A connection that stood is gone.
    mutating func ended(_ id: ConnectionID, now: Duration) -> [Action] {
        let before = count
        lent.remove(id)
        idle.removeAll { $0.id == id }
        guard count < before else { return [] }
        return connectIfNeeded(now) + drainedIfSo()
    }

    /// Time has passed: those who waited too long are told, and idle connections are closed.
    mutating func tick(now: Duration) -> [Action] {
        var actions: [Action] = []
        waiters.removeAll { waiter in
            guard waiter.until <= now else { return false }
            actions.append(.refuse(waiter.id, .tooLong))
            return true
        }
        // The oldest lie at the bottom.
        while idle.count > 1, let oldest = idle.first, oldest.since + idleMax <= now {
            idle.removeFirst()
            actions.append(.close(oldest.id))
        }
        return actions
    }

    /// When `tick` has something to do; nil: never.
    var nextTick: Duration? {
        let oldest = idle.count > 1 ? idle.first.map { $0.since + idleMax } : nil
        return [waiters.map(\.until).min(), oldest].compactMap { $0 }.min()
    }

    /// Nobody gets a connection any more; those that are lent are closed when they come back.
    mutating func close() -> [Action] {
        guard !isClosed else { return [] }
        isClosed = true
        let actions = waiters.map { Action.refuse($0.id, .closed) } + idle.map { Action.close($0.id) }
        waiters = []
        idle = []
        return actions + drainedIfSo()
    }

    /// 0.1 s, doubling, up to 1 s: after a restart of the server we are back within its start-up
    /// time and a second.
    static func backOff(afterFailures failures: Int) -> Duration {
        failures > 4 ? .seconds(1) : .milliseconds(100 << max(0, failures - 1))
    }

    // MARK: Parts

    private mutating func offer(_ id: ConnectionID, _ now: Duration) -> [Action] {
        if isClosed { return [.close(id)] + drainedIfSo() }
        if waiters.isEmpty {
            idle.append(Idle(id: id, since: now))
            return []
        }
        lent.insert(id)
        return [.hand(id, to: waiters.removeFirst().id)]
    }

    private mutating func connectIfNeeded(_ now: Duration) -> [Action] {
        var actions: [Action] = []
        while !isClosed, count < size, connecting.count < waiters.count {
            // While the server cannot be reached, one attempt at a time is enough to notice its return.
            if failures > 0, !connecting.isEmpty { break }
            lastID += 1
            connecting.insert(lastID)
            actions.append(.connect(lastID, after: max(.zero, notBefore - now)))
        }
        return actions
    }

    private func drainedIfSo() -> [Action] { isClosed && count == 0 ? [.drained] : [] }
}

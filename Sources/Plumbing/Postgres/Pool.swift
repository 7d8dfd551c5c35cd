import Journal
import Loop

/// The connections of one role on one loop. Decides nothing: `PoolState` does.
actor Pool {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private typealias Waiting = CheckedContinuation<Result<Borrowed, PostgresError>, Never>

    private let settings: ConnectionSettings
    private let role: Role
    private let limits: PoolLimits
    private let helpers: ConnectionHelpers
    private let journal: Journal
    private let counters: Counters
    private let start = ContinuousClock.now
    private var state: PoolState
    private var connections: [PoolState.ConnectionID: Connection] = [:]
    private var waiting: [PoolState.WaiterID: Waiting] = [:]
    private var lastWaiter = 0
    private var timer: Timer?
    private var timerAt: Duration?
    /// Why the last attempt to connect failed; nil after one that succeeded.
    private var trouble: PostgresError?
    /// Which of several addresses is tried first: another one after each failure.
    private var rotation = 0
    private var closing: [CheckedContinuation<Void, Never>] = []

    init(
        _ settings: ConnectionSettings, role: Role, limits: PoolLimits, loop: EventLoop, helpers: ConnectionHelpers,
        journal: Journal, counters: Counters
    ) {
        self.settings = settings
        self.role = role
        self.limits = limits
        self.loop = loop
        self.helpers = helpers
        self.journal = journal
        self.counters = counters
        state = PoolState(size: limits.size(of: role), waitersMax: limits.waitersMax, idleMax: limits.idle)
    }

    /// A connection on loan, which must be given back.
    struct Borrowed: Sendable {
        let id: PoolState.ConnectionID
        let connection: Connection
    }

    /// Lends a connection.
    ///
    /// - Throws: `.unavailable` when none is free in time, `.cancelled`.
    func borrow() async throws(PostgresError) -> Borrowed {
        lastWaiter += 1
        let waiter = lastWaiter
        // The common way: a connection is idle, and nobody suspends.
        if state.hasIdle, case .hand(let id, to: waiter) = ask(waiter).first, let connection = connections[id] {
            return Borrowed(id: id, connection: connection)
        }
        let outcome: Result<Borrowed, PostgresError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Others may run between the await and this closure, the handler below among them:
                // so the pool is asked only here, where the answer finds its receiver.
                waiting[waiter] = continuation
                if Task.isCancelled { return withdraw(waiter) }
                perform(ask(waiter))
            }
        } onCancel: {
            loop.post { self.assumeIsolated { $0.withdraw(waiter) } }
        }
        return try outcome.get()
    }

    func giveBack(_ borrowed: Borrowed) { perform(state.giveBack(borrowed.id, now: now)) }

    /// Lends no more, closes what is idle, and returns when the last borrower is done.
    func close() async {
        await withCheckedContinuation { continuation in
            closing.append(continuation)
            perform(state.close())
            if state.count == 0 { drained() }
        }
    }

    /// Ends every connection, lent ones too.
    func abort() {
        perform(state.close())
        for connection in connections.values { connection.assumeIsolated { $0.close() } }
    }

    private func ask(_ waiter: PoolState.WaiterID) -> [PoolState.Action] {
        let now = now
        return state.ask(waiter, until: now + limits.wait, now: now)
    }

    private var now: Duration { start.duration(to: .now) }

    private func withdraw(_ waiter: PoolState.WaiterID) {
        state.withdraw(waiter)
        answer(waiter, .failure(PostgresError(.cancelled, "cancelled while waiting for a connection")))
    }

    private func answer(_ waiter: PoolState.WaiterID, _ result: Result<Borrowed, PostgresError>) {
        waiting.removeValue(forKey: waiter)?.resume(returning: result)
    }

    private func perform(_ actions: [PoolState.Action]) {
        for action in actions {
            switch action {
            case .hand(let id, let waiter):
                if let connection = connections[id] {
                    answer(waiter, .success(Borrowed(id: id, connection: connection)))
                }
            case .refuse(let waiter, let refusal):
                counters.add(
                    "database_waits_refused_total", 1, ["role": role.rawValue],
                    help: "Callers that got no database connection in time.")
                answer(waiter, .failure(refused(refusal)))
            case .connect(let id, let delay):
                if delay > .zero {
                    loop.after(delay) { self.assumeIsolated { $0.connect(id) } }
                } else {
                    connect(id)
                }
            case .close(let id):
                connections.removeValue(forKey: id)?.assumeIsolated { $0.close() }
            case .drained: drained()
            }
        }
        arm()
    }

    private func drained() {
        let closing = closing
        self.closing = []
        for continuation in closing { continuation.resume() }
    }

    private func connect(_ id: PoolState.ConnectionID) {
        let (settings, role, limits, helpers, rotation) = (settings, role, limits, helpers, rotation)
        loop.run {
            do throws(PostgresError) {
                let connection = try await Connection.open(
                    settings, role: role, rotation: rotation, within: limits.connect, on: self.loop, helpers: helpers)
                await self.connected(id, connection)
            } catch {
                await self.failed(id, error)
            }
        }
    }

    private func connected(_ id: PoolState.ConnectionID, _ connection: Connection) {
        counters.add("database_connections_total", 1, ["role": role.rawValue], help: "Connections that were made.")
        if trouble != nil { journal.info("the database can be reached again", ["role": .string(role.rawValue)]) }
        trouble = nil
        connections[id] = connection
        connection.assumeIsolated { connection in
            connection.whenEnded { self.assumeIsolated { $0.ended(id) } }
        }
        perform(state.connected(id, now: now))
    }

    private func failed(_ id: PoolState.ConnectionID, _ error: PostgresError) {
        // Said once, not at every attempt.
        if trouble == nil {
            journal.error(
                "the database cannot be reached",
                ["role": .string(role.rawValue), "place": .string(settings.place), "error": JournalValue(error)])
        }
        trouble = error
        rotation += 1
        perform(state.failed(id, now: now))
    }

    private func ended(_ id: PoolState.ConnectionID) {
        connections[id] = nil
        perform(state.ended(id, now: now))
    }

    private func refused(_ refusal: PoolState.Refusal) -> PostgresError {
        let why = trouble.map { ": \($0.text)" } ?? ""
        return switch refusal {
        case .full: PostgresError(.unavailable, "too many wait for a database connection\(why)")
        case .tooLong: PostgresError(.unavailable, "no database connection was free in time\(why)")
        case .closed: PostgresError(.unavailable, "the database pool is closed")
        }
    }

    private func arm() {
        guard let next = state.nextTick else { return }
        if timer != nil, let timerAt, timerAt <= next { return }
        timer?.cancel()
        timerAt = next
        timer = loop.after(max(.zero, next - now)) {
            self.assumeIsolated { pool in
                pool.timer = nil
                pool.perform(pool.state.tick(now: pool.now))
            }
        }
    }
}

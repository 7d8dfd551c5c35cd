import CPostgres
import Journal
import Loop
import Time

/// One connection to the server, pinned to a loop and never waiting for the server on its thread.
///
/// Always in pipeline mode: a request is any number of statements and one sync, written in one go.
/// Each statement is prepared once per connection, in the same flush that first carries it out.
/// A connection that was cancelled, timed out or lost is closed and never used again.
actor Connection {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    var handle: ConnectionHandle
    var watch: Watch?
    /// Resumed when the connection stands or has failed.
    var connecting: CheckedContinuation<PostgresError?, Never>?
    /// Why the connection is closed; nil while it is open.
    private var ending: PostgresError?
    private var requests: [Request] = []
    private var lastRequest = 0
    /// Of requests that ended before anybody waited.
    private var outcomes: [Int: Result<[ResultHandle], PostgresError>] = [:]
    private var statements = PreparedStatements(countMax: 200)
    private var transaction: OpenTransaction?
    private var lastTransaction = 0
    private var timer: Timer?
    private var timerAt: ContinuousClock.Instant?
    let helpers: ConnectionHelpers
    private var onEnd: (@Sendable () -> Void)?
    private var onNotification: (@Sendable (_ channel: String, _ payload: String) -> Void)?

    /// Where the server's own limit stands, as a net below the limits that are kept here.
    static let serverTimeout: Duration = .seconds(15)

    init(loop: EventLoop, handle: consuming ConnectionHandle, helpers: ConnectionHelpers) {
        self.loop = loop
        self.handle = handle
        self.helpers = helpers
    }

    var isOpen: Bool { ending == nil }
    var serverProcessID: Int32 { handle.processID }
    var serverVersion: Int { handle.serverVersion }

    /// Calls `body` once, on the loop, when the connection ends for whatever reason.
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        if ending == nil { onEnd = body } else { body() }
    }

    func whenNotified(_ body: @escaping @Sendable (_ channel: String, _ payload: String) -> Void) {
        onNotification = body
    }

    func close() { end(PostgresError(.unavailable, "the connection was closed")) }

    // MARK: Transactions

    /// Opens a transaction, as yet in memory only: its first statements carry the opening with them.
    func begin(_ scope: Scope, isolation: Isolation, within: Duration) throws(PostgresError) -> Int {
        if let ending { throw ending }
        precondition(transaction == nil, "a connection serves one transaction at a time")
        lastTransaction += 1
        transaction = OpenTransaction(
            number: lastTransaction, opening: Self.opening(scope, isolation, within), deadline: .now + within)
        return lastTransaction
    }

    /// Carries out statements in the transaction with this number, and its commit with them where they are the last.
    func run(
        _ statements: [SQL], in number: Int, committing: Bool = false
    ) async throws(PostgresError) -> [ResultHandle] {
        guard let open = transaction, open.number == number, !open.isCommitted else {
            throw PostgresError(
                .misuse, "a statement after the end of its transaction", statement: statements.first?.text)
        }
        guard !statements.isEmpty else { return [] }
        let opening = open.hasBegun ? [] : open.opening
        transaction?.hasBegun = true
        guard committing else {
            let results = try await send(opening + statements, until: open.deadline)
            return Array(results.dropFirst(opening.count))
        }
        let results = try await commit(opening + statements, until: open.deadline)
        transaction?.isCommitted = true
        return Array(results.dropFirst(opening.count))
    }

    /// Carries out statements and a commit after them in one round trip.
    ///
    /// A commit is not cancelled with its task: that would leave its outcome unknown for nothing.
    private func commit(
        _ statements: [SQL], until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [ResultHandle] {
        var results = try await send(
            statements + ["commit"], until: max(deadline, .now + .seconds(1)), cancellable: false, decides: true)
        guard results.popLast()?.commandTag == "COMMIT" else {
            throw PostgresError(
                .other, "the transaction was rolled back, because one of its statements had failed before its commit")
        }
        return results
    }

    /// Ends the transaction with this number. One that never sent a statement ends without one.
    func finish(_ number: Int, commit: Bool) async throws(PostgresError) {
        guard let open = transaction, open.number == number else {
            throw PostgresError(.misuse, "the end of a transaction that had ended")
        }
        transaction = nil
        guard open.hasBegun, !open.isCommitted else { return }
        if !commit {
            guard ending == nil else { return }
            _ = try await send(["rollback"], until: .now + .seconds(2), cancellable: false)
            return
        }
        _ = try await self.commit([], until: open.deadline)
    }

    /// One statement in a transaction of its own, in one round trip.
    func single(_ scope: Scope, _ sql: SQL, within: Duration) async throws(PostgresError) -> ResultHandle {
        var statements = [sql]
        // Up to the sync the statements are one transaction, and the setting is local to it.
        if case .tenant(let tenant) = scope { statements.insert(Self.naming(tenant), at: 0) }
        let results = try await send(statements, until: .now + within, decides: true)
        return results[statements.count - 1]
    }

    private static func naming(_ tenant: Int64) -> SQL { "select set_config('desk.tenant', \(String(tenant)), true)" }

    private static func opening(_ scope: Scope, _ isolation: Isolation, _ within: Duration) -> [SQL] {
        var statements: [SQL] = [isolation.opening]
        if case .tenant(let tenant) = scope { statements.append(naming(tenant)) }
        if within >= serverTimeout {
            let net = String((within + .seconds(5)).wholeMilliseconds)
            statements.append("select set_config('statement_timeout', \(net), true)")
        }
        return statements
    }

    // MARK: Requests

    func send(
        _ statements: [SQL], until deadline: ContinuousClock.Instant, cancellable: Bool = true, decides: Bool = false
    ) async throws(PostgresError) -> [ResultHandle] {
        if let ending { throw ending }
        if cancellable, Task.isCancelled { throw PostgresError(.cancelled, "cancelled before it was sent") }
        let id = try write(statements, until: deadline, decides: decides)
        let outcome: Result<[ResultHandle], PostgresError>
        if cancellable {
            outcome = await withTaskCancellationHandler {
                await answer(to: id)
            } onCancel: {
                loop.post { self.assumeIsolated { $0.cancel(id) } }
            }
        } else {
            outcome = await answer(to: id)
        }
        return try outcome.get()
    }

    /// Hands statements and a sync to libpq, and as much of them to the socket as it takes.
    func write(
        _ list: [SQL], until deadline: ContinuousClock.Instant, decides: Bool
    ) throws(PostgresError) -> Int {
        var commands: [Command] = []
        var isSent = true
        for sql in list {
            let (text, values) = (sql.text, sql.values)
            guard values.count <= 65_535 else {
                throw PostgresError(.misuse, "\(values.count) binds in one statement", statement: text)
            }
            let key = PreparedStatements.Key(text: text, types: values.map { type(of: $0).sqlType.oid })
            let use = statements.use(key)
            if let stale = use.stale {
                isSent = isSent && handle.execute(text: "deallocate \(stale)")
                commands.append(.housekeeping)
            }
            if use.isNew {
                isSent = isSent && handle.prepare(name: use.name, text: text, types: key.types)
                commands.append(.prepare(key))
            }
            isSent = isSent && handle.execute(name: use.name, values: EncodedValues(values))
            commands.append(.execute(key))
        }
        isSent = isSent && handle.sync()
        guard isSent else {
            let failure = lost()
            end(failure)
            throw failure
        }
        lastRequest += 1
        requests.append(Request(id: lastRequest, commands: commands, deadline: deadline, decides: decides))
        schedule(deadline)
        flush()
        return lastRequest
    }

    /// The answer may come before anybody waits for it: others may run between an await and the
    /// closure that takes its continuation.
    private func answer(to id: Int) async -> Result<[ResultHandle], PostgresError> {
        await withCheckedContinuation { continuation in
            if let index = requests.firstIndex(where: { $0.id == id }) {
                requests[index].waiting = continuation
            } else {
                continuation.resume(returning: outcomes.removeValue(forKey: id) ?? .failure(ending ?? lost()))
            }
        }
    }

    private func conclude(_ request: Request, _ outcome: Result<[ResultHandle], PostgresError>) {
        if let waiting = request.waiting {
            waiting.resume(returning: outcome)
        } else {
            outcomes[request.id] = outcome
        }
    }

    private func cancel(_ id: Int) {
        guard requests.contains(where: { $0.id == id }) else { return }
        stop(PostgresError(.cancelled, "cancelled while the server was at it"))
    }

    /// Asks the server to stop and gives the connection up, without waiting for its answer: a
    /// cancellation that arrives late must not hit the next user's statement.
    private func stop(_ reason: PostgresError) {
        if let canceller = handle.canceller() { helpers.cancel(canceller, on: loop) }
        end(reason)
    }

    func end(_ reason: PostgresError) {
        guard ending == nil else { return }
        ending = reason
        unwatch()
        timer?.cancel()
        timer = nil
        handle.close()
        let unfinished = requests
        requests = []
        for request in unfinished { conclude(request, request.outcome(afterEnd: reason)) }
        let waiting = connecting
        connecting = nil
        waiting?.resume(returning: reason)
        onEnd?()
        onEnd = nil
        onNotification = nil
    }

    private func lost() -> PostgresError {
        PostgresError(.unavailable, "the connection to the server was lost")
    }

    // MARK: The socket

    func watch(_ interest: Interest) {
        if let watch {
            watch.change(interest)
        } else {
            watch = loop.watch(handle.socket, interest) { readiness in
                self.assumeIsolated { $0.ready(readiness) }
            }
        }
    }

    func unwatch() {
        watch?.cancel()
        watch = nil
    }

    private func ready(_ readiness: Readiness) {
        guard ending == nil else { return }
        if connecting != nil { return advanceConnecting() }
        guard handle.consumeInput() else {
            // What the server said before it hung up is still to be read.
            receive()
            return end(lost())
        }
        receive()
        if ending == nil { flush() }
    }

    private func flush() {
        switch handle.flush() {
        case 0: watch(.read)
        case 1: watch([.read, .write])
        default: end(lost())
        }
    }

    private func receive() {
        var nothings = 0
        while !requests.isEmpty, !handle.isBusy, ending == nil {
            if let result = unsafe handle.nextResult() {
                nothings = 0
                unsafe take(result)
            } else {
                // One nothing stands between two statements. Two in a row: there is nothing to read.
                if requests[0].isScript {
                    scriptIsOver()
                    break
                }
                nothings += 1
                if nothings > 1 { break }
            }
        }
        while let note = handle.nextNotification() { onNotification?(note.channel, note.payload) }
    }

    /// Takes one result for the statement that is next in line.
    private func take(_ pointer: OpaquePointer) {
        let status = unsafe PQresultStatus(pointer)
        let next = requests[0].next
        let command = next < requests[0].commands.count ? requests[0].commands[next] : nil
        switch status {
        case PGRES_PIPELINE_SYNC:
            unsafe PQclear(pointer)
            let request = requests.removeFirst()
            conclude(request, request.outcome)
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            requests[0].next += 1
            if case .execute = command {
                requests[0].results.append(unsafe ResultHandle(pointer))
            } else {
                unsafe PQclear(pointer)
            }
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(pointer)
            requests[0].next += 1
            if case .prepare(let key) = command { statements.forget(key) }
        case PGRES_FATAL_ERROR:
            let failure = unsafe PostgresError(result: pointer, statement: command?.text)
            unsafe PQclear(pointer)
            // Not an answer to this request: whether it was carried out is unknown.
            guard failure.sqlState != nil else { return end(failure) }
            // An error may also come of the sync, where deferred constraints are checked.
            if command != nil { requests[0].next += 1 }
            if case .prepare(let key) = command { statements.forget(key) }
            requests[0].failure = requests[0].failure ?? failure
            // The server has hung up, or remembers other statements than we do.
            if failure.endsConnection { end(failure) }
        default:
            unsafe PQclear(pointer)
            end(
                PostgresError(
                    .misuse, "a statement that does not fit the pipeline, such as copy", statement: command?.text))
        }
    }

    // MARK: Deadlines

    /// Makes sure that somebody looks at the deadlines no later than `deadline`.
    ///
    /// The timer is left running when a request ends in time: re-arming it for each would cost more.
    func schedule(_ deadline: ContinuousClock.Instant) {
        if let timerAt, timer != nil, timerAt <= deadline { return }
        timer?.cancel()
        timerAt = deadline
        timer = loop.after(max(.zero, ContinuousClock.now.duration(to: deadline))) {
            self.assumeIsolated { $0.timeIsUp() }
        }
    }

    private func timeIsUp() {
        timer = nil
        guard ending == nil else { return }
        if connecting != nil { return connected(PostgresError(.unavailable, "connecting took too long")) }
        guard let first = requests.map(\.deadline).min() else { return }
        if first <= .now {
            stop(PostgresError(.timeout, "the server took longer than the statement was given"))
        } else {
            schedule(first)
        }
    }

    // MARK: Scripts

    /// A script of several statements, as a migration is; outside of any transaction of this actor.
    func script(_ text: String, within: Duration) async throws(PostgresError) {
        if let ending { throw ending }
        guard requests.isEmpty, transaction == nil, handle.leavePipeline() else {
            throw PostgresError(.misuse, "a script runs alone on its connection")
        }
        guard handle.send(script: text) else {
            let failure = lost()
            end(failure)
            throw failure
        }
        lastRequest += 1
        let id = lastRequest
        let deadline = ContinuousClock.now + within
        requests.append(Request(id: id, commands: [.script], deadline: deadline, decides: true))
        schedule(deadline)
        flush()
        _ = try await answer(to: id).get()
    }

    /// The simple protocol ends with nothing, not with a sync.
    private func scriptIsOver() {
        guard handle.enterPipeline() else { return end(lost()) }
        let request = requests.removeFirst()
        conclude(request, request.outcome)
    }
}

package import Journal
import Loop
import Synchronization

/// LISTEN on a connection of its own, which comes back by itself when it was lost.
///
/// What was notified while it was away is lost: `whenConnected` tells those who keep something in
/// memory to drop it. On request the connection holds advisory locks as a sign of life: the server
/// lets go of them the moment the process is gone.
package final class Listener: Sendable {
    private struct State {
        var handlers: [String: [@Sendable (String) -> Void]] = [:]
        var connected: [@Sendable () -> Void] = []
        var locks: [SessionLock] = []
        var connection: Connection?
        var isStarted = false
        var isStopped = false
    }

    private let settings: ConnectionSettings
    private let loop: EventLoop
    private let helpers: ConnectionHelpers
    private let journal: Journal
    private let state = Mutex(State())

    /// How often a silent connection is asked whether it still stands.
    static let pulse: Duration = .seconds(30)

    package init(database: Database, journal: Journal) {
        settings = database.settings
        loop = database.loops.all[0]
        helpers = database.helpers
        self.journal = journal
    }

    /// Calls `body` on the loop with the payload of every notification on `channel`. Before `start`.
    package func listen(_ channel: StaticString, _ body: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.handlers["\(channel)", default: []].append(body) }
    }

    /// Calls `body` on the loop after every connect, the first one included: what is remembered
    /// from before it may be old.
    package func whenConnected(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.connected.append(body) }
    }

    /// Holds a lock from now on, on this connection and on each that follows it.
    package func hold(_ lock: SessionLock) async throws(PostgresError) {
        let connection = state.withLock { state in
            state.locks.append(lock)
            return state.connection
        }
        if let connection { try await Self.take(lock, on: connection) }
    }

    package func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst { loop.run { await self.listenForEver() } }
    }

    package func stop() async {
        let connection = state.withLock { state in
            state.isStopped = true
            defer { state.connection = nil }
            return state.connection
        }
        await connection?.close()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func listenForEver() async {
        var failures = 0
        while !isStopped {
            do {
                let connection = try await connect()
                if failures > 0 { journal.info("listening to the database again") }
                failures = 0
                await whileOpen(connection)
                if !isStopped { journal.warning("the listening connection was lost") }
            } catch {
                failures += 1
                if failures == 1 { journal.error("cannot listen to the database", ["error": JournalValue(error)]) }
            }
            guard !isStopped else { return }
            try? await loop.sleep(for: PoolState.backOff(afterFailures: max(1, failures)))
        }
    }

    private func connect() async throws(PostgresError) -> Connection {
        let connection = try await Connection.open(
            settings, role: nil, within: .seconds(5), on: loop, helpers: helpers)
        let (handlers, locks) = state.withLock { ($0.handlers, $0.locks) }
        do throws(PostgresError) {
            await connection.whenNotified { channel, payload in
                for handler in handlers[channel] ?? [] { handler(payload) }
            }
            for channel in handlers.keys.sorted() {
                _ = try await connection.single(.house, SQL(pieces: [.text("listen \(channel)")]), within: .seconds(5))
            }
            for lock in locks { try await Self.take(lock, on: connection) }
        } catch {
            await connection.close()
            throw error
        }
        let (connected, isStopped, late) = state.withLock { state in
            if !state.isStopped { state.connection = connection }
            return (state.connected, state.isStopped, state.locks.dropFirst(locks.count))
        }
        do throws(PostgresError) {
            // Asked for while this connection was being made.
            for lock in late { try await Self.take(lock, on: connection) }
        } catch {
            await connection.close()
            throw error
        }
        if isStopped { await connection.close() }
        for body in connected { body() }
        return connection
    }

    /// Returns when the connection has ended. A peer that vanished without a word is noticed by the
    /// pulse.
    private func whileOpen(_ connection: Connection) async {
        while await connection.isOpen {
            let (loop, pulse) = (loop, Self.pulse)
            await withCheckedContinuation { continuation in
                let once = Once { continuation.resume() }
                let timer = loop.after(pulse) { once.run() }
                loop.run {
                    await connection.whenEnded {
                        timer.cancel()
                        once.run()
                    }
                }
            }
            if await connection.isOpen { _ = try? await connection.single(.house, "select 1", within: .seconds(5)) }
        }
    }

    /// The server may still hold the lock for a connection of ours that it has not yet missed.
    private static func take(_ lock: SessionLock, on connection: Connection) async throws(PostgresError) {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            let rows = try await connection.single(
                .house, "select pg_try_advisory_lock(\(lock.space), \(lock.number)) as held", within: .seconds(5)
            ).rows
            if try rows.first?("held") == true { return }
            guard ContinuousClock.now < deadline else {
                throw PostgresError(.unavailable, "the advisory lock of this process is held by another one")
            }
            try? await connection.loop.sleep(for: .milliseconds(200))
        }
    }
}

/// An advisory lock that lives as long as a connection.
package struct SessionLock: Sendable, Hashable {
    /// What kind of thing is locked.
    package let space: Int32
    package let number: Int32

    package init(space: Int32, number: Int32) {
        self.space = space
        self.number = number
    }
}

/// Runs something the first time only.
final class Once: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    func run() {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}

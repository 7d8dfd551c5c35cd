package import Journal
package import Loop
import Synchronization

/// The database: pools of connections, one for each role on each loop.
///
/// A caller on a loop gets a connection of that loop, so that its work changes no thread; anybody
/// else gets one of the first loop.
package final class Database: Sendable {
    package let loops: EventLoops
    package let settings: ConnectionSettings
    package let helpers: ConnectionHelpers
    private let pools: [[Role: Pool]]
    private let full = Mutex<ContinuousClock.Instant?>(nil)

    /// When the database last refused something because its disk is full (SQLSTATE 53100); nil while it never did.
    package var fullAt: ContinuousClock.Instant? { full.withLock { $0 } }

    /// Connects to nothing yet.
    ///
    /// - Throws: `.misuse` when `url` is neither an URL nor a keyword string.
    package init(
        url: String, loops: EventLoops, limits: PoolLimits = PoolLimits(), journal: Journal, counters: Counters
    ) throws(PostgresError) {
        let settings = try ConnectionSettings(url)
        let helpers = ConnectionHelpers()
        self.loops = loops
        self.settings = settings
        self.helpers = helpers
        pools = loops.all.map { loop in
            Dictionary(
                uniqueKeysWithValues: Role.allCases.map { role in
                    (
                        role,
                        Pool(
                            settings, role: role, limits: limits, loop: loop, helpers: helpers, journal: journal,
                            counters: counters)
                    )
                })
        }
    }

    /// Carries out `body` in one transaction; commits when it returns, rolls back when it throws.
    ///
    /// - Parameters:
    ///   - within: for all of it, from the connection's hand-over to the commit's answer.
    ///   - body: must not keep the transaction, nor wait for anything but the database: it holds a
    ///     connection of a small pool.
    /// - Throws: what `body` throws; `PostgresError`. After `.unavailable` or `.timeout` with
    ///   `outcomeIsUnknown` the commit may have happened.
    package func transaction<R: Sendable>(
        _ scope: Scope, within: Duration = .seconds(10), isolation: Isolation = .readCommitted,
        _ body: (Transaction) async throws -> R
    ) async throws -> R {
        let pool = pool(of: scope.role)
        let borrowed = try await pool.borrow()
        let connection = borrowed.connection
        let result: R
        do {
            let number = try await connection.begin(scope, isolation: isolation, within: within)
            do {
                result = try await body(Transaction(scope: scope, connection: connection, number: number))
            } catch {
                // Where even that fails the connection is closed, which rolls back as well.
                try? await connection.finish(number, commit: false)
                throw error
            }
            try await connection.finish(number, commit: true)
        } catch {
            await pool.giveBack(borrowed)
            note(error as? PostgresError)
            throw error
        }
        await pool.giveBack(borrowed)
        return result
    }

    /// One statement in a transaction of its own: one round trip, and one less to hold a connection for.
    package func rows(
        _ scope: Scope, _ sql: SQL, within: Duration = .seconds(10)
    ) async throws(PostgresError) -> [Row] {
        try await single(scope, sql, within).rows
    }

    /// One statement in a transaction of its own; how many rows it touched.
    @discardableResult
    package func execute(
        _ scope: Scope, _ sql: SQL, within: Duration = .seconds(10)
    ) async throws(PostgresError) -> Int {
        try await single(scope, sql, within).affectedRows
    }

    /// Lends no more connections and returns when the last transaction is over, at the latest when
    /// `within` has passed: then what is left is cut off.
    package func close(within: Duration = .seconds(10)) async {
        let timers = pools.flatMap(\.values).map { pool in
            pool.loop.after(within) { pool.assumeIsolated { $0.abort() } }
        }
        for pool in pools.flatMap(\.values) { await pool.close() }
        for timer in timers { timer.cancel() }
    }

    private func single(_ scope: Scope, _ sql: SQL, _ within: Duration) async throws(PostgresError) -> ResultHandle {
        let pool = pool(of: scope.role)
        let borrowed = try await pool.borrow()
        do throws(PostgresError) {
            let result = try await borrowed.connection.single(scope, sql, within: within)
            await pool.giveBack(borrowed)
            return result
        } catch {
            await pool.giveBack(borrowed)
            note(error)
            throw error
        }
    }

    private func note(_ error: PostgresError?) {
        if error?.sqlState == "53100" { full.withLock { $0 = .now } }
    }

    private func pool(of role: Role) -> Pool {
        let here = EventLoop.current
        let index = here.flatMap { here in loops.all.firstIndex { $0 === here } } ?? 0
        guard let pool = pools[index][role] else { preconditionFailure("every role has a pool on every loop") }
        return pool
    }
}

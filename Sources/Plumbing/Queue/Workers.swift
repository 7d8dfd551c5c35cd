package import Journal
package import Loop
package import Postgres
package import Time

/// Claims jobs, hands them to their handlers, rescues what died. One for each process.
package final class Workers: Sendable {
    /// Does a job and ends it (`done`, `again`, `dead`) in a transaction of its own. What it throws
    /// postpones the job by the `RetryPolicy`.
    package typealias Handler = @Sendable (Job) async throws -> Void

    package init(
        database: Database, clock: WallClock, bell: Bell, listener: Listener, handlers: [String: Handler],
        concurrency: Int, loops: EventLoops, journal: Journal, counters: Counters
    ) {}

    /// Works until `stop` is called.
    package func run() async { preconditionFailure("follows") }

    /// Claims nothing more, lets running jobs end, and gives back what is left after `within`.
    package func stop(within: Duration) async { preconditionFailure("follows") }
}

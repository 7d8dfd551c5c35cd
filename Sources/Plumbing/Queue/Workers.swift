package import Journal
package import Loop
package import Postgres
package import Time

/// Claims jobs, hands them to their handlers, rescues what died. One for each process.
package final class Workers: Sendable {
    /// Does a job and ends it (`done`, `again`, `dead`) in a transaction of its own.
    ///
    /// When it throws, the job is postponed by the `RetryPolicy`, the last time to its deadline; a
    /// job that fails at or after its deadline is dead. A job that was neither ended nor failed is
    /// taken up again when its lease has run out.
    package typealias Handler = @Sendable (Job) async throws -> Void

    /// Does jobs of one kind and lane that were claimed together. When it throws, those that had not ended are postponed.
    package typealias LotHandler = @Sendable ([Job]) async throws -> Void

    /// Who does the jobs of each kind: one by one, or by the lot.
    package struct Handlers: Sendable, ExpressibleByDictionaryLiteral {
        var each: [String: Handler] = [:]
        var lots: [String: LotHandler] = [:]

        package init(dictionaryLiteral elements: (String, Handler)...) {
            each = Dictionary(uniqueKeysWithValues: elements)
        }

        package subscript(kind: String) -> Handler? {
            get { each[kind] }
            set { each[kind] = newValue }
        }

        package mutating func take(lotsOf kind: String, by handler: @escaping LotHandler) { lots[kind] = handler }

        func knows(_ kind: String) -> Bool { each[kind] != nil || lots[kind] != nil }
    }

    private let foreman: Foreman

    /// - Parameters:
    ///   - clock: what deadlines and due times are compared with. Leases go by the database's.
    ///   - listener: not yet started or started: it hears of jobs that others added, and its
    ///     connection holds the sign that this process lives.
    ///   - concurrency: jobs at a time.
    ///   - retryCeiling: the longest wait between two attempts.
    package init(
        database: Database, clock: WallClock, bell: Bell, listener: Listener, handlers: Handlers,
        concurrency: Int, loops: EventLoops, retryCeiling: Duration = .minutes(5), journal: Journal,
        counters: Counters
    ) {
        foreman = Foreman(
            database: database, clock: clock, listener: listener, handlers: handlers,
            concurrency: max(1, concurrency), loops: loops, retryCeiling: retryCeiling, journal: journal,
            counters: counters)
        let (foreman, own) = (foreman, bell.process)
        bell.whenRung { foreman.wake() }
        listener.listen("desk_jobs") { process in
            if process != own { foreman.wake() }
        }
        listener.whenConnected { foreman.wake() }
    }

    /// Works until `stop` is called.
    package func run() async { await foreman.run() }

    /// Claims nothing more, lets running jobs end, and gives back what is left after `within`.
    package func stop(within: Duration) async { await foreman.stop(within: within) }
}

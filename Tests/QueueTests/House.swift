import Foundation
import Journal
import Loop
import Postgres
import Queue
import Support
import Synchronization
import Time

/// A queue with tenants to work for.
struct House: Sendable {
    let test: TestDatabase
    let clock: ManualClock
    static let start = Moment(milliseconds: 1_781_524_800_000)

    var db: Database { test.database }

    /// Lane `n` belongs to tenant `n`.
    func add(
        _ count: Int = 1, lane: Int64, kind: String = "test", subject: String = "{}", runAt: Moment? = nil,
        deadline: Moment = start + .hours(12), uniqueKey: String? = nil
    ) async throws {
        try await db.transaction(.tenant(lane)) { tx in
            for _ in 0..<count {
                try await Enqueue.add(
                    NewJob(
                        tenant: lane, lane: lane, kind: kind, subject: subject, runAt: runAt, deadline: deadline,
                        uniqueKey: uniqueKey), in: tx)
            }
        }
    }

    /// A process: workers with a database, a bell and a listener of their own.
    func process(
        concurrency: Int = 4, database: Database? = nil, handlers: Workers.Handlers
    ) throws -> Process {
        let database = try database ?? test.anotherDatabase()
        let bell = Bell(database: database, journal: .silent)
        let listener = Listener(database: database, journal: .silent)
        let workers = Workers(
            database: database, clock: clock.clock, bell: bell, listener: listener, handlers: handlers,
            concurrency: concurrency, loops: database.loops, journal: .silent, counters: test.counters)
        return Process(
            database: database, bell: bell, listener: listener, workers: workers, task: Task { await workers.run() })
    }

    struct Process: Sendable {
        let database: Database
        let bell: Bell
        let listener: Listener
        let workers: Workers
        let task: Task<Void, Never>

        func stop(within: Duration = .seconds(5)) async {
            await workers.stop(within: within)
            await task.value
            await listener.stop()
            await database.close(within: .seconds(2))
        }
    }

    func jobs() async throws -> [(state: String, lane: Int64, attempts: Int, error: String?)] {
        try await test.asSuperuser("select state, lane, attempts, last_error from queue.jobs order by job_id").map {
            (try $0("state"), try $0("lane"), try $0("attempts"), try $0("last_error"))
        }
    }
}

func withHouse(_ body: (House) async throws -> Void) async throws {
    try await withDatabase { test in
        try await body(House(test: test, clock: ManualClock(House.start)))
    }
}

/// What handlers saw.
final class Log: Sendable {
    private let jobs = Mutex<[Job]>([])
    func add(_ job: Job) { jobs.withLock { $0.append(job) } }
    var all: [Job] { jobs.withLock { $0 } }
    var count: Int { jobs.withLock { $0.count } }
}

/// Does the job and nothing else.
func finishing(_ db: Database, _ log: Log) -> Workers.Handler {
    { job in
        try await db.transaction(.tenant(job.tenant)) { tx in try await job.done(in: tx) }
        log.add(job)
    }
}

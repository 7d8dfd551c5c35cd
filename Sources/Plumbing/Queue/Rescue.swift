import Postgres

/// Takes jobs away from workers that will not finish them. Role: queue.
///
/// A killed process is noticed by its advisory lock, which the server releases with its connection;
/// a frozen one by its lease. A lock must be missing at two looks in a row: a listener that just
/// reconnects is not dead.
struct Rescue {
    /// Advisory locks of workers: this space, and the worker's number.
    static let space: Int32 = 0x6465_776B
    static let every: Duration = .seconds(5)

    static func lock(of worker: Int64) -> SessionLock {
        // Worker numbers begin at 1 and grow by one with each start of a process.
        SessionLock(space: space, number: Int32(truncatingIfNeeded: worker))
    }

    /// Workers whose lock was missing at the last look.
    private var suspects: [Int64] = []

    /// - Returns: how many jobs became ready again.
    mutating func look(as worker: Int64, on database: Database) async throws -> Int {
        let suspects = suspects
        let answers = try await database.transaction(.queue) { tx in
            try await tx.pipeline([
                """
                with gone as materialized (
                  select w.worker from (
                    select distinct worker from queue.jobs where state = 'running' and worker <> \(worker)) w
                  where not exists (
                    select from pg_locks k
                    where k.locktype = 'advisory' and k.granted and k.classid = \(Int64(Self.space))::oid
                      and k.objid = (w.worker & 4294967295)::oid
                      and k.database = (select oid from pg_database where datname = current_database()))),
                back as (
                  update queue.jobs set state = 'ready', worker = null, claim = null, lease_until = null
                  where state = 'running'
                    and (lease_until < clock_timestamp()
                         or worker = any(\(suspects)) and worker in (select worker from gone))
                  returning 1)
                select (select count(*) from back) as rescued, array(select worker from gone) as gone
                """,
                "update queue.workers set seen_at = clock_timestamp() where worker = \(worker)",
                "delete from queue.workers where seen_at < clock_timestamp() - interval '1 day'",
            ])
        }
        self.suspects = try answers[0][0]("gone")
        return try answers[0][0]("rescued")
    }
}

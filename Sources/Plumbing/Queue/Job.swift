package import Postgres
package import Time

/// A piece of work that this process has claimed.
///
/// It ends in the transaction that does its work, by one of `done`, `again` and `dead`, so that
/// both are committed or neither. Each of them fails with `ClaimLost` when somebody else has taken
/// the job over meanwhile: then the transaction must roll back.
package struct Job: Sendable, Hashable {
    package let tenant: Int64
    package let id: Int64
    package let lane: Int64
    package let kind: String
    /// JSON of ids.
    package let subject: String
    /// 1 the first time.
    package let attempts: Int
    /// After it nobody will try again.
    package let deadline: Moment
    package let claim: Int64
    package let worker: Int64

    package init(
        tenant: Int64, id: Int64, lane: Int64, kind: String, subject: String, attempts: Int, deadline: Moment,
        claim: Int64, worker: Int64
    ) {
        self.tenant = tenant
        self.id = id
        self.lane = lane
        self.kind = kind
        self.subject = subject
        self.attempts = attempts
        self.deadline = deadline
        self.claim = claim
        self.worker = worker
    }

    /// The work is done; its story stands elsewhere.
    package func done(in tx: Transaction) async throws { try await mine(tx, end) }

    /// What `done` does, for a transaction that has locked the row by `held`: among its last statements.
    package var end: SQL { "delete from queue.jobs where \(isMine)" }

    /// Locks those of these jobs of one claim whose claim still stands: a row with its `job_id` for each.
    package static func held(_ jobs: [Job]) -> SQL {
        """
        select job_id from queue.jobs
        where tenant_id = \(jobs.first?.tenant) and \(jobs.count == 1 ? "job_id = \(jobs[0].id)" : "job_id = any(\(jobs.map(\.id)))" as SQL)
          and claim = \(jobs.first?.claim) and worker = \(jobs.first?.worker) and lease_until is not null
        order by job_id
        for update
        """
    }

    /// Not now: it becomes ready again at `moment`.
    ///
    /// - Parameter subject: what it is about from then on; nil: what it was.
    package func again(
        at moment: Moment, error: String? = nil, subject: String? = nil, in tx: Transaction
    ) async throws {
        try await mine(
            tx,
            """
            update queue.jobs
            set state = 'waiting', run_at = \(moment), last_error = \(error.map(Self.short)),
                subject = coalesce(\(subject), subject),
                worker = null, claim = null, lease_until = null
            where \(isMine)
            """)
    }

    /// Never again by itself; it stays for a person to see.
    package func dead(error: String, in tx: Transaction) async throws {
        try await mine(
            tx,
            """
            update queue.jobs
            set state = 'dead', last_error = \(Self.short(error)), worker = null, claim = null, lease_until = null
            where \(isMine)
            """)
    }

    /// Whether the claim still stands, for work that wants to know before it begins. Locks the row.
    package func isStillMine(in tx: Transaction) async throws -> Bool {
        try await tx.row("select 1 as mine from queue.jobs where \(isMine) for update") != nil
    }

    /// Running: it has a lease. By its state it would be looked for among all that run, not by its number.
    private var isMine: SQL {
        "tenant_id = \(tenant) and job_id = \(id) and claim = \(claim) and worker = \(worker) and lease_until is not null"
    }

    private func mine(_ tx: Transaction, _ sql: SQL) async throws {
        guard try await tx.execute(sql) == 1 else { throw ClaimLost(job: id) }
    }

    /// What fits into a column that people read; a NUL byte would be refused.
    static func short(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0 != "\u{0}" }.map(Character.init).prefix(1000))
    }
}

/// The job's lease ran out and somebody else has it: what was done for it must be rolled back.
package struct ClaimLost: Error, CustomStringConvertible {
    package let job: Int64
    package init(job: Int64) { self.job = job }
    package var description: String { "job \(job) is no longer claimed by this worker" }
}

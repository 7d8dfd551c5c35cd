package import Postgres
package import Time

/// Work to be done.
package struct NewJob: Sendable {
    package let tenant: Int64
    package let lane: Int64
    package let kind: String
    package let subject: String
    /// Nil: at once.
    package let runAt: Moment?
    package let deadline: Moment
    /// While a job of this kind and key is unfinished, another one is not added.
    package let uniqueKey: String?

    /// - Parameter subject: JSON of ids, never of text that came from outside.
    package init(
        tenant: Int64, lane: Int64, kind: String, subject: String, runAt: Moment? = nil, deadline: Moment,
        uniqueKey: String? = nil
    ) {
        self.tenant = tenant
        self.lane = lane
        self.kind = kind
        self.subject = subject
        self.runAt = runAt
        self.deadline = deadline
        self.uniqueKey = uniqueKey
    }
}

package enum Enqueue {
    /// Adds a job in the transaction that makes it necessary. Ring the `Bell` after its commit.
    ///
    /// - Returns: false when an unfinished job with the same kind and key stands already. It may be
    ///   running at this moment: work that must see what this transaction changes takes a lock that
    ///   this transaction holds, or another key.
    @discardableResult
    package static func add(_ job: NewJob, in tx: Transaction) async throws -> Bool {
        let state = job.runAt == nil ? "ready" : "waiting"
        return try await tx.execute(
            """
            insert into queue.jobs (tenant_id, lane, kind, subject, state, run_at, deadline, unique_key)
            values (\(job.tenant), \(job.lane), \(job.kind), \(job.subject), \(state),
                    coalesce(\(job.runAt), tenants.now_ms()), \(job.deadline), \(job.uniqueKey))
            on conflict (tenant_id, kind, unique_key) where unique_key is not null and state <> 'dead' do nothing
            """) == 1
    }

    /// Makes a waiting job ready now.
    ///
    /// - Returns: false when there is none that waits.
    @discardableResult
    package static func hurry(tenant: Int64, kind: String, uniqueKey: String, in tx: Transaction) async throws -> Bool {
        try await tx.execute(
            """
            update queue.jobs set state = 'ready'
            where tenant_id = \(tenant) and kind = \(kind) and unique_key = \(uniqueKey) and state = 'waiting'
            """) > 0
    }
}

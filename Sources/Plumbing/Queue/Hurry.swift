package import Postgres

extension Enqueue {
    /// Makes every waiting job of a kind in one lane ready now: what they waited for may be over.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package static func hurry(tenant: Int64, kind: String, lane: Int64, in tx: Transaction) async throws -> Int {
        try await tx.execute(
            """
            update queue.jobs set state = 'ready'
            where tenant_id = \(tenant) and lane = \(lane) and kind = \(kind) and state = 'waiting'
            """)
    }
}

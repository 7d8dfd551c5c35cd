import Journal
import Loop

/// Gathers rows of many callers into one statement and one commit, without a timer.
///
/// While nothing is under way, what was submitted is flushed at the end of the loop's turn; while a
/// batch is under way, the next one gathers. So a lone caller waits for nobody, and a crowd shares
/// commits. Each loop has a batch of its own. A caller is answered only after the commit of its row.
package final class Collector<Item: Sendable, Answer: Sendable>: Sendable {
    /// Writes the items in one statement or transaction and returns one answer for each, in their
    /// order. Copies among the items are the writer's to fold.
    package typealias Flush = @Sendable (_ items: [Item], _ database: Database) async throws -> [Answer]

    private let database: Database
    private let batches: [Batches<Item, Answer>]

    /// - Parameters:
    ///   - rowsMax: items of one batch.
    ///   - queueMax: items that may wait on one loop; the next is refused as `.unavailable`.
    ///   - wait: how long an item may wait for its batch to begin.
    package init(
        database: Database, rowsMax: Int = 256, queueMax: Int = 8192, wait: Duration = .seconds(5),
        flush: @escaping Flush
    ) {
        self.database = database
        batches = database.loops.all.map { loop in
            Batches(
                loop: loop, database: database, rowsMax: rowsMax, queueMax: queueMax, wait: wait, flush: flush)
        }
    }

    /// Returns when the item is durable.
    ///
    /// - Throws: `PostgresError`: `.data` or `.constraint` where this very item was refused;
    ///   `.unavailable` or `.timeout` for all of a batch whose outcome is unknown; what `flush` throws.
    package func submit(_ item: Item) async throws -> Answer {
        let here = EventLoop.current
        let index = here.flatMap { here in database.loops.all.firstIndex { $0 === here } } ?? 0
        return try await batches[index].submit(item)
    }
}

/// The batches of one loop.
private actor Batches<Item: Sendable, Answer: Sendable> {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private struct Waiting {
        let item: Item
        let since: ContinuousClock.Instant
        let continuation: CheckedContinuation<Answer, any Error>
    }

    private let database: Database
    private let rowsMax: Int
    private let queueMax: Int
    private let wait: Duration
    private let flush: Collector<Item, Answer>.Flush
    private var queue: [Waiting] = []
    private var isBusy = false

    init(
        loop: EventLoop, database: Database, rowsMax: Int, queueMax: Int, wait: Duration,
        flush: @escaping Collector<Item, Answer>.Flush
    ) {
        self.loop = loop
        self.database = database
        self.rowsMax = max(1, rowsMax)
        self.queueMax = queueMax
        self.wait = wait
        self.flush = flush
    }

    func submit(_ item: Item) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            guard queue.count < queueMax else {
                return continuation.resume(
                    throwing: PostgresError(.unavailable, "\(queue.count) rows wait to be written"))
            }
            queue.append(Waiting(item: item, since: .now, continuation: continuation))
            if !isBusy {
                isBusy = true
                loop.atEndOfTurn { self.assumeIsolated { $0.begin() } }
            }
        }
    }

    private func begin() {
        loop.run { await self.writeAll() }
    }

    private func writeAll() async {
        while !queue.isEmpty {
            let oldest = ContinuousClock.now - wait
            let batch = Array(queue.prefix(rowsMax))
            queue.removeFirst(batch.count)
            let (fresh, stale) = (batch.filter { $0.since >= oldest }, batch.filter { $0.since < oldest })
            for waiting in stale {
                waiting.continuation.resume(
                    throwing: PostgresError(.unavailable, "a row waited too long for its batch"))
            }
            if !fresh.isEmpty { await write(fresh) }
        }
        isBusy = false
    }

    /// Writes a batch. One that the server refuses because of a row is halved until the bad rows
    /// stand alone: nobody else is harmed. After a lost connection or a time-out nobody knows what
    /// was committed, so nothing is tried again.
    private func write(_ batch: [Waiting]) async {
        do {
            let answers = try await flush(batch.map(\.item), database)
            guard answers.count == batch.count else {
                throw PostgresError(.misuse, "\(answers.count) answers for \(batch.count) rows")
            }
            for (waiting, answer) in zip(batch, answers) { waiting.continuation.resume(returning: answer) }
        } catch let error as PostgresError where error.isAboutARow && batch.count > 1 {
            let middle = batch.count / 2
            await write(Array(batch[..<middle]))
            await write(Array(batch[middle...]))
        } catch {
            for waiting in batch { waiting.continuation.resume(throwing: error) }
        }
    }
}

extension PostgresError {
    /// Classes 21, 22 and 23: a row is at fault and not the server.
    var isAboutARow: Bool { sqlState.map { ["21", "22", "23"].contains($0.prefix(2)) } ?? false }
}

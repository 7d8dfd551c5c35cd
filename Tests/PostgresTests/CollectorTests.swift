import Foundation
import Loop
import Postgres
import Support
import Synchronization
import Testing

@Suite struct `a collector` {
    /// Writes slugs of tenants; answers with their ids.
    private func writer() -> Collector<String, Int64>.Flush {
        { items, database in
            let rows = try await database.rows(
                .house,
                """
                insert into tenants.tenants (slug, name) select s, 'x' from unnest(\(items)) as s
                returning slug, tenant_id
                """, within: .seconds(5))
            var ids: [String: Int64] = [:]
            for row in rows { ids[try row("slug")] = try row("tenant_id") }
            return items.map { ids[$0] ?? -1 }
        }
    }

    private func submit(_ items: [String], to collector: Collector<String, Int64>) async -> [String: Result<
        Int64, any Error
    >] {
        await withTaskGroup(of: (String, Result<Int64, any Error>).self) { group in
            for item in items {
                group.addTask {
                    do { return (item, .success(try await collector.submit(item))) } catch {
                        return (item, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `answers each caller with its own row, in fewer commits than callers`() async throws {
        try await withDatabase { test in
            let sizes = Mutex<[Int]>([])
            let write = writer()
            let collector = Collector<String, Int64>(database: test.database, rowsMax: 64) { items, database in
                sizes.withLock { $0.append(items.count) }
                return try await write(items, database)
            }
            let items = (0..<500).map { "s\($0)" }
            let answers = await submit(items, to: collector)
            let rows = try await test.database.rows(
                .house, "select slug, tenant_id from tenants.tenants where tenant_id <> 0")
            #expect(rows.count == 500)
            for row in rows { #expect(try answers[row("slug")]?.get() == row("tenant_id")) }
            let batches = sizes.withLock { $0 }
            #expect(batches.count < 400)
            #expect(batches.allSatisfy { $0 <= 64 })
        }
    }

    @Test func `lets one bad row harm nobody else`() async throws {
        try await withDatabase { test in
            let collector = Collector<String, Int64>(database: test.database, flush: writer())
            let items = (0..<60).map { $0 == 17 ? "NOT A SLUG" : $0 == 40 ? "nul\u{0}" : "s\($0)" }
            let answers = await submit(items, to: collector)
            let written = try await test.database.rows(
                .house, "select 1 as one from tenants.tenants where tenant_id <> 0")
            #expect(written.count == 58)
            for item in items where item.hasPrefix("s") { #expect(try answers[item]?.get() ?? 0 > 0) }
            let refused = #expect(throws: PostgresError.self) { try answers["NOT A SLUG"]?.get() }
            #expect(refused?.violates("tenants_slug_check") == true)
            let odd = #expect(throws: PostgresError.self) { try answers["nul\u{0}"]?.get() }
            #expect(odd?.kind == .data)
        }
    }

    @Test func `fails all of a batch whose connection was lost, and tries none of it again`() async throws {
        try await withDatabase(loops: EventLoops(EventLoops.forTests.all[0])) { test in
            let tries = Mutex(0)
            let collector = Collector<String, Int64>(database: test.database) { items, database in
                tries.withLock { $0 += 1 }
                return try await database.transaction(.house) { tx in
                    let pid: Int32 = try await tx.rows("select pg_backend_pid() as pid")[0]("pid")
                    _ = try await test.asSuperuser("select pg_terminate_backend(\(pid)) as ended")
                    _ = try await tx.rows("select pg_sleep(5)")
                    return items.map { _ in 1 }
                }
            }
            // The first one opens a batch; the others gather behind it.
            let answers = await submit((0..<8).map { "s\($0)" }, to: collector)
            for answer in answers.values {
                let error = #expect(throws: PostgresError.self) { try answer.get() }
                #expect(error?.kind == .unavailable)
            }
            #expect(tries.withLock { $0 } <= 8)
        }
    }

    @Test func `has a bounded line`() async throws {
        try await withDatabase(loops: EventLoops(EventLoops.forTests.all[0])) { test in
            let gate = Gate()
            let collector = Collector<String, Int64>(database: test.database, rowsMax: 1, queueMax: 3) { items, _ in
                await gate.pass()
                return items.map { _ in 1 }
            }
            let answers = Answers()
            let tasks = (0..<10).map { n in
                Task {
                    let answer: Result<Int64, any Error>
                    do { answer = .success(try await collector.submit("s\(n)")) } catch { answer = .failure(error) }
                    answers.add(answer)
                }
            }
            // One is being written, three wait, six are refused at once.
            try await until { answers.all.count >= 6 }
            await gate.open()
            for task in tasks { await task.value }
            let refused = answers.all.filter { if case .failure = $0 { true } else { false } }
            #expect((6...7).contains(refused.count))
        }
    }
}

private final class Answers: Sendable {
    private let list = Mutex<[Result<Int64, any Error>]>([])
    func add(_ answer: Result<Int64, any Error>) { list.withLock { $0.append(answer) } }
    var all: [Result<Int64, any Error>] { list.withLock { $0 } }
}

import Foundation
import Journal
import Loop
import Postgres
import Support
import Testing
import Time

private struct Stop: Error {}

@Suite struct `a transaction` {
    private func count(_ db: Database) async throws -> Int {
        try await db.rows(.house, "select count(*) as n from tenants.tenants where tenant_id <> 0")[0]("n")
    }

    @Test func `is committed when its body returns`() async throws {
        try await withDatabase { test in
            let inserted = try await test.database.transaction(.house) { tx in
                try await tx.execute("insert into tenants.tenants (slug, name) values ('a', 'A'), ('b', 'B')")
            }
            #expect(inserted == 2)
            #expect(try await count(test.database) == 2)
        }
    }

    @Test func `is rolled back when its body throws, and its connection serves on`() async throws {
        try await withDatabase(limits: PoolLimits(house: 1)) { test in
            for _ in 0..<3 {
                await #expect(throws: Stop.self) {
                    try await test.database.transaction(.house) { tx in
                        try await tx.execute("insert into tenants.tenants (slug, name) values ('a', 'A')")
                        throw Stop()
                    }
                }
            }
            let left = try await count(test.database)
            #expect(left == 0)
        }
    }

    @Test func `with a failed statement that was swallowed says that nothing was committed`() async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.transaction(.house) { tx in
                    try await tx.execute("insert into tenants.tenants (slug, name) values ('a', 'A')")
                    _ = try? await tx.rows("select 1/0")
                }
            }
            #expect(error?.description.contains("rolled back") == true)
            let left = try await count(test.database)
            #expect(left == 0)
        }
    }

    @Test func `without a statement costs the server nothing`() async throws {
        try await withDatabase { test in
            let seven = try await test.database.transaction(.house) { _ in 7 }
            #expect(seven == 7)
        }
    }

    @Test func `is worth nothing after its end`() async throws {
        try await withDatabase { test in
            let kept = try await test.database.transaction(.house) { tx in
                _ = try await tx.rows("select 1")
                return tx
            }
            let error = await #expect(throws: PostgresError.self) { try await kept.rows("select 1 as one") }
            #expect(error?.kind == .misuse)
        }
    }

    @Test func `names its tenant for itself alone`() async throws {
        try await withDatabase(limits: PoolLimits(tenant: 1)) { test in
            let who: SQL = "select current_setting('desk.tenant', true) as it, current_user::text as role"
            for tenant in [1, 2, 3] as [Int64] {
                let inside = try await test.database.transaction(.tenant(tenant)) {
                    try await $0.rows(who)[0]("it") as String?
                }
                #expect(inside == "\(tenant)")
                let alone = try await test.database.rows(.tenant(tenant), who)[0]
                #expect(try alone("it") == "\(tenant)")
                #expect(try alone("role") == "refund_desk_tenant")
            }
        }
    }

    @Test func `sees one moment where that was asked for, and may not write where that was asked for`() async throws {
        try await withDatabase { test in
            try await test.database.transaction(.house, isolation: .repeatableRead) { tx in
                #expect(try await tx.rows("select slug from tenants.tenants where tenant_id <> 0").isEmpty)
                try await test.database.execute(.house, "insert into tenants.tenants (slug, name) values ('a', 'A')")
                #expect(try await tx.rows("select slug from tenants.tenants where tenant_id <> 0").isEmpty)
            }
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.transaction(.house, isolation: .readOnly) { tx in
                    try await tx.execute("update tenants.tenants set name = 'B'")
                }
            }
            #expect(error?.sqlState == "25006")
        }
    }

    @Test func `carries out a pipeline in order and stops at its first failure`() async throws {
        try await withDatabase { test in
            try await test.database.transaction(.house) { tx in
                let answers = try await tx.pipeline([
                    "select 1 as n", "insert into tenants.tenants (slug, name) values ('a', 'A') returning slug",
                    "select count(*)::int as n from tenants.tenants where tenant_id <> 0",
                ])
                #expect(try answers[0][0]("n") == 1 as Int)
                #expect(try answers[1][0]("slug") == "a")
                #expect(try answers[2][0]("n") == 1 as Int)
            }
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.transaction(.house) { tx in
                    _ = try await tx.pipeline(["select 1", "select no_such_column", "select 2"])
                }
            }
            #expect(error?.sqlState == "42703")
            #expect(error?.statement == "select no_such_column")
        }
    }

    @Test func `answers statements that were asked at once each with its own`() async throws {
        try await withDatabase { test in
            try await test.database.transaction(.house) { tx in
                async let a = tx.rows("select 1 as n")
                async let b = tx.rows("select 2 as n")
                async let c = tx.rows("select 3 as n")
                let numbers: [Int] = try await [a[0]("n"), b[0]("n"), c[0]("n")]
                #expect(numbers == [1, 2, 3])
            }
        }
    }

    @Test func `asks for one row and is not content with two`() async throws {
        try await withDatabase { test in
            try await test.database.transaction(.house) { tx in
                let none = try await tx.row("select 1 as n where false")
                #expect(none == nil)
                let error = await #expect(throws: PostgresError.self) {
                    try await tx.row("select generate_series(1, 2)")
                }
                #expect(error?.kind == .misuse)
            }
        }
    }
}

@Suite struct `an error of the server` {
    @Test(arguments: [
        ("select no_such_column", "42703", PostgresError.Kind.syntax),
        ("select 1/0", "22012", .data),
        (
            "insert into tenants.tenants (slug, name) values ('NOT A SLUG', 'x')", "23514",
            .constraint("tenants_slug_check")
        ),
        ("create table refunds.mine (id int)", "42501", .denied),
    ])
    func `has its SQLSTATE and its kind`(statement: String, state: String, kind: PostgresError.Kind) async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.rows(.house, SQL(stringLiteral: statement))
            }
            #expect(error?.sqlState == state)
            #expect(error?.kind == kind)
            // The connection serves on.
            let next = try await test.database.rows(.house, "select 1 as n")
            #expect(next.count == 1)
        }
    }

    @Test func `tells values in its full form only`() async throws {
        try await withDatabase { test in
            let statement: SQL = "insert into tenants.tenants (slug, name) values (\("taken"), \("private"))"
            try await test.database.execute(.house, statement)
            let refused = try #require(
                await #expect(throws: PostgresError.self) { try await test.database.execute(.house, statement) })
            #expect(refused.violates("tenants_slug_key"))
            #expect("\(refused)".contains("tenants_slug_key"))
            #expect(!"\(refused)".contains("private"))
            let misspelt = try #require(
                await #expect(throws: PostgresError.self) {
                    try await test.database.rows(.house, "select \("hush")::text::int8 as it")
                })
            #expect(misspelt.kind == .data)
            #expect(!"\(misspelt)".contains("hush"))
            #expect(misspelt.fullDescription.contains("hush"))
        }
    }

    @Test func `of a deferred kind comes with the commit`() async throws {
        try await withDatabase { test in
            _ = try await test.asSuperuser("create table public.once (n int unique deferrable initially deferred)")
            _ = try await test.asSuperuser("grant all on public.once to refund_desk_house")
            let twice: SQL = "insert into public.once values (1), (1)"
            let alone = await #expect(throws: PostgresError.self) { try await test.database.execute(.house, twice) }
            #expect(alone?.violates("once_n_key") == true)
            let inside = await #expect(throws: PostgresError.self) {
                try await test.database.transaction(.house) { tx in try await tx.execute(twice) }
            }
            #expect(inside?.violates("once_n_key") == true)
            #expect(inside?.outcomeIsUnknown == false)
        }
    }
}

@Suite struct `time and cancellation` {
    @Test func `a statement that takes too long is stopped here and there`() async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.rows(.house, "select pg_sleep(60) as slept", within: .milliseconds(200))
            }
            #expect(error?.kind == .timeout)
            #expect(error?.outcomeIsUnknown == true)
            try await untilNobodySleeps(test)
        }
    }

    @Test func `a transaction has one limit for all of it`() async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.transaction(.house, within: .milliseconds(300)) { tx in
                    for _ in 0..<100 { _ = try await tx.rows("select pg_sleep(0.05)") }
                }
            }
            #expect(error?.kind == .timeout)
            #expect(error?.outcomeIsUnknown == false)
        }
    }

    @Test func `a long transaction may be longer than the server's net`() async throws {
        try await withDatabase { test in
            let limit = try await test.database.transaction(.house, within: .seconds(100)) { tx in
                try await tx.rows("select current_setting('statement_timeout') as it")[0]("it") as String
            }
            #expect(limit == "105s")
            let usual = try await test.database.rows(.house, "select current_setting('statement_timeout') as it")[0]
            #expect(try usual("it") == "15s")
        }
    }

    @Test func `a cancelled task stops its statement, and the next user of the pool is not hit`() async throws {
        try await withDatabase(limits: PoolLimits(house: 1)) { test in
            let task = Task { try await test.database.rows(.house, "select pg_sleep(60) as slept") }
            try await until { try await sleepers(test) == 1 }
            task.cancel()
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            try await untilNobodySleeps(test)
            for _ in 0..<20 { #expect(try await test.database.rows(.house, "select 1 as n").count == 1) }
        }
    }

    @Test func `a cancelled task leaves the line of the pool`() async throws {
        try await withDatabase(limits: PoolLimits(house: 1)) { test in
            try await test.database.transaction(.house) { tx in
                _ = try await tx.rows("select 1")
                let task = Task { try await test.database.rows(.house, "select 2 as n") }
                task.cancel()
                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.kind == .cancelled)
            }
        }
    }

    private func sleepers(_ test: TestDatabase) async throws -> Int {
        try await test.asSuperuser(
            """
            select count(*) as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()
            """)[0]("n")
    }

    private func untilNobodySleeps(_ test: TestDatabase) async throws {
        try await until { try await sleepers(test) == 0 }
    }
}

@Suite struct `a pool` {
    @Test func `makes no more connections than it may, and its callers wait their turn`() async throws {
        try await withDatabase(limits: PoolLimits(house: 2), loops: EventLoops(EventLoops.forTests.all[0])) { test in
            let pids = try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await test.database.transaction(.house) { tx in
                            try await tx.rows("select pg_backend_pid() as pid, pg_sleep(0.002)")[0]("pid")
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(pids.count == 2)
        }
    }

    @Test func `tells who waits too long, and refuses who finds the line full`() async throws {
        let limits = PoolLimits(house: 1, wait: .seconds(2), waitersMax: 1)
        try await withDatabase(limits: limits, loops: EventLoops(EventLoops.forTests.all[0])) { test in
            try await test.database.transaction(.house) { tx in
                _ = try await tx.rows("select 1")
                let errors = await withTaskGroup(of: PostgresError?.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            do throws(PostgresError) {
                                _ = try await test.database.rows(.house, "select 2")
                                return nil
                            } catch { return error }
                        }
                    }
                    return await group.reduce(into: [PostgresError?]()) { $0.append($1) }
                }
                #expect(errors.compactMap { $0?.kind } == [.unavailable, .unavailable])
                #expect(errors.contains { $0?.text.contains("too many") == true })
                #expect(errors.contains { $0?.text.contains("in time") == true })
            }
            #expect(test.counters.value("database_waits_refused_total", ["role": "refund_desk_house"]) == 2)
        }
    }

    @Test func `notices that an idle connection was ended and hands it to nobody`() async throws {
        try await withDatabase(limits: PoolLimits(house: 1), loops: EventLoops(EventLoops.forTests.all[0])) { test in
            for _ in 0..<5 {
                let pid: Int32 = try await test.database.rows(.house, "select pg_backend_pid() as pid")[0]("pid")
                _ = try await test.asSuperuser("select pg_terminate_backend(\(pid), 5000) as ended")
                // The server has hung up; the news may still be on its way.
                try await until {
                    (try? await test.database.rows(.house, "select pg_backend_pid() as pid")[0]("pid") as Int32) ?? pid
                        != pid
                }
            }
        }
    }

    @Test func `says which statement a lost connection leaves open`() async throws {
        try await withDatabase { test in
            let task = Task { try await test.database.execute(.house, "select pg_sleep(30)", within: .seconds(30)) }
            let other = Task {
                try await test.database.transaction(.house, within: .seconds(30)) { tx in
                    _ = try await tx.rows("select pg_sleep(31)")
                }
            }
            try await until {
                let rows = try await test.asSuperuser(
                    """
                    select pid from pg_stat_activity where datname = current_database() and state = 'active'
                      and query like '%pg_sleep%' and pid <> pg_backend_pid()
                    """)
                guard rows.count == 2 else { return false }
                for row in rows {
                    let pid: Int32 = try row("pid")
                    _ = try await test.asSuperuser("select pg_terminate_backend(\(pid)) as ended")
                }
                return true
            }
            let alone = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(alone?.kind == .unavailable)
            let inside = await #expect(throws: PostgresError.self) { try await other.value }
            #expect(inside?.kind == .unavailable)
            #expect(inside?.outcomeIsUnknown == false)
        }
    }

    @Test func `forgets old statements and still knows new ones`() async throws {
        try await withDatabase(limits: PoolLimits(house: 1), loops: EventLoops(EventLoops.forTests.all[0])) { test in
            try await test.database.transaction(.house, within: .seconds(30)) { tx in
                for round in 0..<2 {
                    for n in 0..<230 {
                        let row = try await tx.rows(SQL(stringLiteral: "select \(n) as n\(n)"))[0]
                        #expect(try row("n\(n)") == n, "round \(round)")
                    }
                }
                let known: Int = try await tx.rows("select count(*) as n from pg_prepared_statements")[0]("n")
                #expect(known <= 201)
            }
        }
    }

    @Test func `closes when its last transaction is over`() async throws {
        try await withDatabase { test in
            let other = try test.anotherDatabase()
            try await other.transaction(.house) { tx in
                _ = try await tx.rows("select 1")
                let closing = Task { await other.close() }
                _ = try await tx.rows("select 2")
                _ = closing
            }
            await other.close()
            let error = await #expect(throws: PostgresError.self) { try await other.rows(.house, "select 1") }
            #expect(error?.kind == .unavailable)
        }
    }
}

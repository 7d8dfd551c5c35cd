import Journal
import Loop
import Postgres
import Schema
import Support
import Testing

@Suite struct `the migrator` {
    private let loop = EventLoops.forTests.all[0]

    /// An empty database, owned by `owner`.
    private func withEmptyDatabase(
        owner: String = "postgres", _ body: (_ url: String, _ name: String) async throws -> Void
    ) async throws {
        let server = try TestServer.url()
        let name = "desk_empty_\(UInt64.random(in: 0 ... .max))"
        try await TestServer.administer(server, "create database \(name) owner \(owner)")
        do {
            try await body(TestServer.url(database: name), name)
        } catch {
            try await TestServer.administer(server, "drop database \(name) with (force)")
            throw error
        }
        try await TestServer.administer(server, "drop database \(name) with (force)")
    }

    private func step(_ version: Int, _ sql: String, minimumRelease: Int = 1) -> Migration {
        Migration(version: version, name: "step", sql: sql, minimumRelease: minimumRelease)
    }

    private func migrator(_ steps: [Migration], release: Int = 1) -> Migrator {
        Migrator(migrations: steps, release: release, loop: loop, journal: .silent)
    }

    @Test func `applies each step once, in order`() async throws {
        try await withEmptyDatabase { url, _ in
            let (one, two) = (
                step(1, "create table public.one (n int);"), step(2, "insert into public.one values (2);")
            )
            let first = try await migrator([one]).migrate(url)
            #expect(first == .init(from: 0, to: 1, applied: ["v1 step"]))
            #expect(try await migrator([one, two]).migrate(url) == .init(from: 1, to: 2, applied: ["v2 step"]))
            #expect(try await migrator([one, two]).migrate(url) == .init(from: 2, to: 2, applied: []))
            let state = try await migrator([one, two]).state(url)
            #expect(state == .init(current: 2, needed: 2, minimumRelease: 1, trouble: nil))
        }
    }

    @Test func `leaves nothing of a step that fails, and says which`() async throws {
        try await withEmptyDatabase { url, _ in
            let broken = migrator([
                step(1, "create table public.one (n int);"), step(2, "create table public.two (n int); select 1/0;"),
            ])
            let error = await #expect(throws: PostgresError.self) { try await broken.migrate(url) }
            #expect(error?.text.contains("step 2 (step) was not applied") == true)
            let login = try await Login(url, on: loop)
            let row = try await login.rows(
                "select to_regclass('public.one') is not null as one, to_regclass('public.two') is null as two")[0]
            #expect(try row("one"))
            #expect(try row("two"))
            await login.close()
            #expect(try await broken.state(url).current == 1)
        }
    }

    @Test func `started by several processes at once applies the schema once`() async throws {
        try await withEmptyDatabase { url, _ in
            let reports = try await withThrowingTaskGroup(of: Migrator.Report.self) { group in
                for _ in 0..<5 {
                    group.addTask { try await Schema.migrator(on: loop, journal: .silent).migrate(url) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.filter { $0.from == 0 }.count == 1)
            #expect(reports.allSatisfy { $0.to == Schema.migrations.count })
            #expect(reports.flatMap(\.applied).count == Schema.migrations.count)
        }
    }

    @Test func `refuses a step that was changed after it was applied`() async throws {
        try await withEmptyDatabase { url, _ in
            _ = try await migrator([step(1, "select 1;")]).migrate(url)
            let changed = migrator([step(1, "select 2;"), step(2, "select 3;")])
            let error = await #expect(throws: PostgresError.self) { try await changed.migrate(url) }
            #expect(error?.kind == .misuse)
            #expect(error?.text.contains("step 1 (step)") == true)
            #expect(try await changed.state(url).trouble != nil)
        }
    }

    @Test func `says what an older and a newer schema need`() async throws {
        try await withEmptyDatabase { url, _ in
            let (one, two) = (step(1, "select 1;"), step(2, "select 2;", minimumRelease: 5))
            #expect(try await migrator([one]).state(url).trouble?.contains("refund-desk migrate") == true)
            _ = try await migrator([one]).migrate(url)
            let older = try await migrator([one, two]).state(url)
            #expect(older.trouble?.contains("version 1 and this release needs 2") == true)
            _ = try await migrator([one, two], release: 5).migrate(url)
            // A release that the schema still serves: nothing to do.
            #expect(try await migrator([one], release: 5).state(url).trouble == nil)
            #expect(try await migrator([one], release: 5).migrate(url) == .init(from: 2, to: 2, applied: []))
            // One that it does not serve any more.
            #expect(try await migrator([one], release: 4).state(url).trouble?.contains("release 5 and newer") == true)
            let error = await #expect(throws: PostgresError.self) { try await migrator([one], release: 4).migrate(url) }
            #expect(error?.kind == .misuse)
        }
    }

    @Test func `makes the partitions of the next two years, and makes them once`() async throws {
        try await withEmptyDatabase { url, _ in
            let migrator = Schema.migrator(on: loop, journal: .silent)
            _ = try await migrator.migrate(url)
            let login = try await Login(url, on: loop)
            let count: SQL =
                "select count(*) as n from pg_inherits where inhparent = 'refunds.notification_bodies'::regclass"
            #expect(try await login.rows(count)[0]("n") == 26 as Int)
            _ = try await login.rows("drop table refunds.notification_bodies_\(name: try await Self.nextMonth(login))")
            _ = try await migrator.migrate(url)
            #expect(try await login.rows(count)[0]("n") == 26 as Int)
            await login.close()
        }
    }

    private static func nextMonth(_ login: Login) async throws -> String {
        try await login.rows("select to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM') as it")[0](
            "it")
    }

    @Test func `works for an owner who may make roles, and for one who was given them`() async throws {
        let server = try TestServer.url()
        let suffix = UInt32.random(in: 0 ... .max)
        let (maker, member, stranger) = ("desk_maker_\(suffix)", "desk_member_\(suffix)", "desk_stranger_\(suffix)")
        let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
        let login = try await Login(server, on: loop)
        let isNewer: Bool = try await login.rows("select current_setting('server_version_num')::int >= 160000 as it")[
            0](
                "it")
        await login.close()
        try await TestServer.administer(
            server, "create role \(maker) login createrole; create role \(member) login; create role \(stranger) login")
        for owner in [maker, member] {
            try await withEmptyDatabase(owner: owner) { url, _ in
                // The roles exist by now: the template's migration made them.
                try await withDatabase { _ in }
                let own = url.replacing("postgres@", with: "\(owner)@")
                if owner == maker, isNewer {
                    // Since PostgreSQL 16 nobody takes a role that another login made, and is told before anything begins.
                    let error = await #expect(throws: PostgresError.self) {
                        try await Schema.migrator(on: loop, journal: .silent).migrate(own)
                    }
                    #expect(error?.text.contains("grant refund_desk_tenant to \"\(maker)\";") == true)
                }
                if owner == member || isNewer {
                    try await TestServer.administer(server, "grant \(roles) to \(owner)")
                }
                let report = try await Schema.migrator(on: loop, journal: .silent).migrate(own)
                #expect(report.to == Schema.migrations.count)
                #expect(try await RoleCheck.troubles(own, on: loop) == [])
                let database = try Database(
                    url: own, loops: .forTests, limits: .forTests, journal: .silent, counters: Counters())
                #expect(
                    try await database.rows(.tenant(1), "select current_user::text as it")[0]("it")
                        == "refund_desk_tenant")
                await database.close()
            }
        }
        try await withEmptyDatabase(owner: stranger) { url, _ in
            let own = url.replacing("postgres@", with: "\(stranger)@")
            let error = await #expect(throws: PostgresError.self) {
                try await Schema.migrator(on: loop, journal: .silent).migrate(own)
            }
            #expect(error?.kind == .misuse)
            #expect(error?.text.contains("grant refund_desk_tenant to \"\(stranger)\";") == true)
            // Nothing was begun.
            let state = try await Schema.migrator(on: loop, journal: .silent).state(own)
            #expect(state.current == 0)
            #expect(
                try await RoleCheck.troubles(own, on: loop).contains {
                    $0.contains("may not become refund_desk_tenant")
                })
        }
        try await TestServer.administer(server, "drop role \(maker), \(member), \(stranger)")
    }
}

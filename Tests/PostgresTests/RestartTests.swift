import Foundation
import Journal
import Loop
import Postgres
import Schema
import Support
import Synchronization
import Testing

@Suite struct `a server that restarts` {
    @Test func `BL-063: is served again within ten seconds, by the same process and without anybody's help`()
        async throws
    {
        try await Cluster.with(durable: false) { cluster, url in try await Self.restart(cluster, url) }
    }

    private static func restart(_ cluster: Cluster, _ url: String) async throws {
        let loops = EventLoops.forTests
        _ = try await Schema.migrator(on: loops.all[0], journal: .silent).migrate(url)
        let lines = Mutex<[String]>([])
        let journal = Journal(level: .info) { line in lines.withLock { $0.append(line) } }
        let database = try Database(
            url: url, loops: loops, limits: PoolLimits(wait: .milliseconds(500)), journal: journal,
            counters: Counters())
        let listener = Listener(database: database, journal: journal)
        let heard = Mutex<[String]>([])
        listener.listen("desk_test") { payload in heard.withLock { $0.append(payload) } }
        listener.start()

        func insert(_ slug: String) async throws -> Int {
            try await database.execute(.house, "insert into tenants.tenants (slug, name) values (\(slug), 'x')")
        }
        #expect(try await insert("before") == 1)
        // Idle connections to be broken, more than one.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { _ = try await database.rows(.house, "select pg_sleep(0.05)") }
            }
            try await group.waitForAll()
        }
        try await cluster.stop()
        let away = await #expect(throws: PostgresError.self) { try await insert("during") }
        #expect(away?.kind == .unavailable)
        #expect(away?.isRetryable == true)

        try await cluster.start()
        let back = ContinuousClock.now
        try await until { (try? await insert("after-\(UInt32.random(in: 0 ... .max))")) == 1 }
        #expect(ContinuousClock.now - back < .seconds(10))
        for n in 0..<20 { #expect(try await insert("steady-\(n)") == 1) }
        // The listener is back too.
        try await until {
            _ = try await database.rows(.house, "select pg_notify('desk_test', 'again')")
            return heard.withLock { $0.contains("again") }
        }
        // Said once, not at every attempt.
        let complaints = lines.withLock { $0.filter { $0.contains("the database cannot be reached") } }
        #expect(complaints.count <= 3)
        await listener.stop()
        await database.close()
    }

    @Test func `that is not there at all is an error with its reason, in bounded time`() async throws {
        let database = try Database(
            url: "postgresql://nobody@127.0.0.1:1/nothing", loops: .forTests,
            limits: PoolLimits(wait: .milliseconds(300)), journal: .silent, counters: Counters())
        let error = await #expect(throws: PostgresError.self) { try await database.rows(.house, "select 1") }
        #expect(error?.kind == .unavailable)
        #expect(error?.text.contains("127.0.0.1") == true)
        await database.close()
    }

    @Test(arguments: ["not an url", "postgresql://secret@[::1/x", "host"])
    func `a text that is no address is refused, and not repeated`(text: String) {
        let error = #expect(throws: PostgresError.self) { try ConnectionSettings(text) }
        #expect(error?.kind == .misuse)
        #expect(error?.description.contains(text) == false)
    }

    @Test func `keywords, names and sockets are understood beside URLs`() async throws {
        let url = try TestServer.url()
        let settings = try ConnectionSettings(url)
        let port = try #require(settings["port"])
        let user = settings["user"] ?? "postgres"
        for text in [
            "host=localhost port=\(port) user=\(user) dbname=postgres",
            "postgresql://\(user)@localhost:\(port)/postgres?connect_timeout=3",
            "host=nowhere.invalid,127.0.0.1 port=\(port) user=\(user) dbname=postgres",
        ] {
            let login = try await Login(text, on: EventLoops.forTests.all[0])
            let row = try await login.rows("select 1 as one")[0]
            #expect(try row("one") == 1 as Int)
            let folder: String = try await login.rows("select current_setting('unix_socket_directories') as it")[0](
                "it")
            await login.close()
            let local = try await Login(
                "host=\(folder.split(separator: ",")[0]) port=\(port) user=\(user) dbname=postgres",
                on: EventLoops.forTests.all[0])
            let place = try await local.rows("select inet_server_addr() is null as is_local")[0]
            #expect(try place("is_local"))
            await local.close()
        }
    }
}

import Glibc
package import Journal
package import Loop
package import Postgres
import Schema
import Synchronization
import Time

/// A migrated database of its own for one test, dropped afterwards.
///
/// Needs a PostgreSQL server, named as a superuser's URL by `REFUND_DESK_TEST_POSTGRES`. A test
/// that needs a database and has none fails; it is never skipped.
package struct TestDatabase: Sendable {
    package let name: String
    /// A superuser's URL of this database.
    package let url: String
    package let database: Database
    package let loops: EventLoops
    package let counters: Counters
    fileprivate let superuser = Superuser()

    /// Statements as the superuser, whom row security does not bind: to prepare and to look behind.
    @discardableResult
    package func asSuperuser(_ sql: SQL) async throws -> [Row] { try await superuser.rows(sql, url, on: loops.all[0]) }

    /// A second pool on the same database, as another process would have.
    package func anotherDatabase(limits: PoolLimits = .forTests, loops: EventLoops = .forTests) throws -> Database {
        try Database(url: url, loops: loops, limits: limits, journal: .silent, counters: Counters())
    }
}

/// A superuser's connection that is kept from one statement to the next: making one costs the server more than most
/// statements do. Those that are under way at once have one each.
private final class Superuser: Sendable {
    private let idle = Mutex<Login?>(nil)

    func rows(_ sql: SQL, _ url: String, on loop: EventLoop) async throws -> [Row] {
        if let kept = swap(nil) {
            do {
                return try await rows(sql, kept)
            } catch let error as PostgresError where error.kind == .unavailable {
                // The test, or the server, ended it since: the statement has not been carried out.
            }
        }
        return try await rows(sql, try await Login(url, on: loop))
    }

    private func rows(_ sql: SQL, _ login: Login) async throws -> [Row] {
        do {
            let rows = try await login.rows(sql)
            await swap(login)?.close()
            return rows
        } catch {
            await login.close()
            throw error
        }
    }

    private func swap(_ login: Login?) -> Login? {
        idle.withLock { idle in
            let before = idle
            idle = login
            return before
        }
    }

    func close() async { await swap(nil)?.close() }
}

/// Runs `body` with a fresh, migrated database.
package func withDatabase<R: Sendable>(
    limits: PoolLimits = .forTests, loops: EventLoops = .forTests, journal: Journal = .silent,
    _ body: (TestDatabase) async throws -> R
) async throws -> R {
    let server = try TestServer.url()
    await TestServer.turnstile.enter()
    do {
        let template = try await TestServer.template()
        let name = "desk_test_\(getpid())_\(TestServer.nextNumber())"
        try await TestServer.administer(server, "create database \(name) template \(template) strategy file_copy")
        let counters = Counters()
        let url = try TestServer.url(database: name)
        let result: Result<R, any Error>
        do {
            let database = try Database(url: url, loops: loops, limits: limits, journal: journal, counters: counters)
            let made = TestDatabase(name: name, url: url, database: database, loops: loops, counters: counters)
            do {
                result = .success(try await TestThreads.shared.run { try await body(made) })
            } catch {
                result = .failure(error)
            }
            await made.superuser.close()
            await database.close(within: .seconds(1))
        } catch {
            result = .failure(error)
        }
        try await TestServer.administer(server, "drop database if exists \(name) with (force)")
        await TestServer.turnstile.leave()
        return try result.get()
    } catch {
        await TestServer.turnstile.leave()
        throw error
    }
}

extension PoolLimits {
    /// Few connections: many tests run at once against one server.
    package static let forTests = PoolLimits(tenant: 4, intake: 2, queue: 2, house: 2)
}

extension EventLoops {
    /// Shared by all tests: a loop is a thread that ends with the process.
    package static let forTests = EventLoops(count: 2, name: "test", journal: .silent, counters: Counters())
}

/// The server that tests use.
package enum TestServer {
    package struct Missing: Error, CustomStringConvertible {
        package let description =
            "this test needs PostgreSQL: run ./ops/test, or start one (ops/postgres start FOLDER) and put its URL into REFUND_DESK_TEST_POSTGRES"
    }

    /// The superuser's URL.
    package static func url() throws -> String {
        guard let url = unsafe getenv("REFUND_DESK_TEST_POSTGRES").map({ unsafe String(cString: $0) }), !url.isEmpty
        else { throw Missing() }
        return url
    }

    /// The same server, another database.
    package static func url(database: String) throws -> String {
        let url = try url()
        guard url.contains("://"), let slash = url.lastIndex(of: "/") else { return "\(url) dbname=\(database)" }
        let query = url[slash...].firstIndex(of: "?").map { String(url[$0...]) } ?? ""
        return url[...slash] + database + query
    }

    /// How many databases stand at once: the server has a limit of connections, the machine of cores.
    static let turnstile = Turnstile(limit: 6)

    private static let number = Atomic<Int>(0)
    static func nextNumber() -> Int { number.add(1, ordering: .relaxed).newValue }

    /// The migrated template, made once for each form of the schema.
    static func template() async throws -> String { try await maker.template() }
    private static let maker = TemplateMaker()

    package static func administer(_ url: String, _ text: String) async throws {
        let login = try await Login(url, on: EventLoops.forTests.all[0])
        do {
            try await login.script(text)
            await login.close()
        } catch {
            await login.close()
            throw error
        }
    }
}

private actor TemplateMaker {
    private var making: Task<String, any Error>?

    func template() async throws -> String {
        let task = making ?? Task { try await Self.make() }
        making = task
        do {
            return try await task.value
        } catch {
            // One failure is one test's: the next one tries again.
            making = nil
            throw error
        }
    }

    private static func make() async throws -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Schema.migrations.map(\.checksum).joined().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let name = "desk_template_\(String(hash, radix: 36))"
        let loop = EventLoops.forTests.all[0]
        let login = try await Login(TestServer.url(), on: loop)
        do {
            // Several test programs may run at once.
            try await login.rows("select pg_advisory_lock(hashtext('desk_template'))")
            let isThere = try await !login.rows("select 1 as one from pg_database where datname = \(name)").isEmpty
            if !isThere {
                let raw = "\(name)_raw"
                try await login.script("drop database if exists \(raw) with (force)")
                try await login.script("create database \(raw)")
                _ = try await Schema.migrator(on: loop, journal: .silent).migrate(TestServer.url(database: raw))
                try await rename(raw, to: name, login)
            }
            await login.close()
        } catch {
            await login.close()
            throw error
        }
        return name
    }

    /// The server may still be about to notice that the migrator hung up.
    private static func rename(_ old: String, to new: String, _ login: Login) async throws {
        var failure: (any Error)?
        for _ in 0..<100 {
            do {
                return try await login.script("alter database \(old) rename to \(new)")
            } catch {
                failure = error
                try await EventLoops.forTests.all[0].sleep(for: .milliseconds(50))
            }
        }
        if let failure { throw failure }
    }
}

/// Lets in so many at once; the others wait in line.
actor Turnstile {
    private var free: Int
    private var line: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) { free = limit }

    func enter() async {
        await withCheckedContinuation { continuation in
            if free > 0 {
                free -= 1
                continuation.resume()
            } else {
                line.append(continuation)
            }
        }
    }

    func leave() {
        if line.isEmpty {
            free += 1
        } else {
            line.removeFirst().resume()
        }
    }
}

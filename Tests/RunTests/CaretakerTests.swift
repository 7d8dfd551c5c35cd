import AppStore
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import Run

@Suite struct `The caretaker` {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var heads: [String] { lines.withLock { $0 }.filter { $0.contains("audit head") } }
    }

    @Test func `writes the end of every tenant's audit log once a day, of closed ones too`() async throws {
        try await withDatabase { test in
            let clock = ManualClock(WallClock.system.now)
            let lines = Lines()
            let house = try House(
                Configuration(environment: ["DATABASE_URL": test.url]), loops: 1, clock: clock.clock,
                journal: Journal(level: .info, clock: clock.clock) { lines.add($0) })
            try await house.database.transaction(.house) { tx in
                for slug in ["acme", "bolt"] {
                    _ = try await TenantStore.add(slug: slug, name: slug, at: clock.now, by: .commandLine, in: tx)
                }
                try await TenantStore.close("bolt", at: clock.now, by: .commandLine, in: tx)
            }
            let caretaker = Caretaker(
                house,
                instruments: Instruments(
                    house, revocation: .off,
                    http: HTTPClient(name: "services", options: .init(), journal: .silent, counters: Counters())))
            try await caretaker.round()
            #expect(lines.heads.count == 2)
            #expect(lines.heads[0].contains("\"sequence\":1") && lines.heads[1].contains("\"sequence\":2"))
            clock.advance(by: .hours(23))
            try await caretaker.round()
            #expect(lines.heads.count == 2, "once a day is enough")
            clock.advance(by: .hours(1))
            try await caretaker.round()
            #expect(lines.heads.count == 4)
            await house.database.close()
        }
    }
}

import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `The database's volume` {
    private let now = Moment(seconds: 1_780_000_000)

    @Test(
        arguments: [
            (84, nil), (85, .warning), (94, .warning), (95, .error), (100, .error), (140, .error),
        ] as [(Int64, Severity?)])
    func `is told before it is full`(percent: Int64, severity: Severity?) throws {
        var facts = HouseFacts(host: "web-1")
        facts.databaseVolume = DatabaseVolume(used: percent << 30, size: 100 << 30)
        // As another process hears of it.
        let heard = try #require(HouseFacts(host: "web-1", told: facts.told))
        #expect(heard == facts)
        let found = HouseRules.findings([facts, heard], WorkFacts(), at: now)
        #expect(found.map(\.severity) == [severity].compactMap { $0 } && found.allSatisfy { $0.rule == .databaseFull })
        #expect(found.allSatisfy { $0.said.title.contains("of 102,400 MiB") })
    }

    @Test func `that takes no more is one incident with the one that fills up, and the worse`() {
        var facts = HouseFacts(host: "web-1")
        facts.databaseVolume = DatabaseVolume(used: 99 << 30, size: 100 << 30)
        facts.databaseFullAt = now - .seconds(5)
        #expect(HouseRules.findings([facts], WorkFacts(), at: now).map(\.severity) == [.critical])
    }

    @Test func `of another release, which says nothing of it, is unknown`() {
        #expect(HouseFacts(host: "web-1", told: #"{"masterKey":true}"#)?.databaseVolume == nil)
    }

    @Test func `is asked about with no more rights than to connect`() async throws {
        try await withDatabase { test in
            let used = try await DatabaseVolume.used(in: test.database)
            let rows = try await test.asSuperuser(
                "select pg_database_size(current_database()) + pg_size_bytes(current_setting('max_wal_size')) as least")
            let least: Int64 = try rows[0]("least")
            #expect(used >= least)
        }
    }
}

import AppStore
import FoundationEssentials
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("The time before an app was added")
struct PastImportTests {
    /// The alpha app's history is read since eleven minutes, and Apple took its key.
    private static func begin(_ desk: Desk) async throws {
        try await desk.beginHistory()
        desk.clock.advance(by: .minutes(11))
        try await desk.takeKey()
        let now = desk.now
        _ = try await desk.database.transaction(.house) { tx in try await ImportRound.keep(at: now, in: tx) }
        try await desk.test.asSuperuser("delete from queue.jobs where kind = 'history'")
    }

    private static func imports(_ desk: Desk) async throws -> ImportStanding {
        try #require(try await desk.deciding.imports(of: desk.alpha.app).production)
    }

    @Test func `BL-107 and BL-096: becomes history that is never answered, under the names of deliveries`() async throws
    {
        try await Desk.open { desk in
            try await desk.consent(at: desk.now - .days(200))
            let old = desk.now - .days(20)
            // Delivered elsewhere, long ago; the second one is known here already.
            try desk.list(try desk.request(1, signedAt: old), signedAt: old, isDelivered: true)
            let second = try desk.request(2, signedAt: desk.now - .hours(1))
            try await desk.take(second)
            try desk.list(second, signedAt: desk.now - .hours(1), isDelivered: true)
            let refund = try desk.note(
                "REFUND", desk.tx { $0["transactionId"] = "2000000900001001" }
            ) { $0["signedDate"] = .number((old + .days(1)).milliseconds) }
            try desk.list(refund, signedAt: old + .days(1), isDelivered: true)
            let calls = desk.apple.calls.count
            try await Self.begin(desk)
            try await desk.work()
            #expect(desk.apple.calls.count == calls)
            #expect(
                try await desk.cases() == [
                    .init(state: "imported", reason: nil, outcome: "refunded"),
                    .init(state: "answered", reason: nil, outcome: "pending"),
                ])
            let standing = try await Self.imports(desk)
            #expect(standing.state == .done && standing.read == 30 && standing.windows == 30)
            #expect(standing.imported >= 2 && standing.held >= 1, "\(standing)")
            #expect(try await desk.count("refunds.notifications where source = 'import'") == 2)
            #expect(try await desk.count("refunds.relay_deliveries") == 0)
            #expect(try await desk.count("queue.jobs where kind in ('reply', 'import')") == 0)
        }
    }

    @Test func `what may still be answered is left to the sweeps`() async throws {
        try await Desk.open { desk in
            try await desk.consent(at: desk.now - .days(1))
            let signedAt = desk.now - .hours(2)
            try desk.list(try desk.request(1, signedAt: signedAt), signedAt: signedAt, isDelivered: false)
            try await Self.begin(desk)
            try await desk.work()
            #expect(try await desk.count("refunds.notifications") == 0)
            #expect(try await Self.imports(desk).state == .done)
        }
    }

    @Test func `goes on where it stood, and begins anew when somebody says so`() async throws {
        try await Desk.open { desk in
            desk.history.pages(of: 1)
            for n in 1...3 {
                let at = desk.now - .days(20) + .hours(Int64(n))
                try desk.list(try desk.request(n, signedAt: at), signedAt: at, isDelivered: true)
            }
            try await Self.begin(desk)
            try await desk.run(try #require(try await desk.claim(.importPast)))
            // The process dies; another one finds the next page.
            try await desk.work()
            #expect(try await Self.imports(desk).imported >= 3)
            #expect(try await desk.count("refunds.cases where state = 'imported'") == 3)

            let app = desk.alpha.app
            try await desk.deciding.startImport(
                of: app, .production, by: PersonID(rawValue: UUID()), role: .admin, address: nil)
            try await desk.work()
            let again = try await Self.imports(desk)
            #expect(again.state == .done && again.imported == 0 && again.held >= 3)
            #expect(try await desk.count("refunds.cases") == 3)
        }
    }

    @Test func `is stopped between two pages, and what was read stays`() async throws {
        try await Desk.open { desk in
            let at = desk.now - .days(20)
            try desk.list(try desk.request(1, signedAt: at), signedAt: at, isDelivered: true)
            try await Self.begin(desk)
            let (app, person) = (desk.alpha.app, PersonID(rawValue: UUID()))
            desk.history.interrupt {
                try await desk.deciding.stopImport(of: app, .production, by: person, role: .admin, address: nil)
            }
            try await desk.work()
            let standing = try await Self.imports(desk)
            #expect(standing.state == .stopped && standing.read == 0 && desk.history.calls.count == 1)
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                try await desk.deciding.startImport(of: app, .production, by: person, role: .support, address: nil)
            }
            #expect(try await desk.count("tenants.audit where action like 'past.import%'") == 1)
        }
    }

    @Test func `BL-109: pages that lead back end a part, which is said, and the rest is read`() async throws {
        try await Desk.open { desk in
            let record = NotificationRecord(signedPayload: "a.b.c", attempts: [])
            desk.history.always(ScriptedHistory.page([record], next: "again"))
            try await Self.begin(desk)
            try await desk.work()
            let standing = try await Self.imports(desk)
            #expect(standing.state == .done && standing.trouble?.contains("leads back") == true)
            #expect(desk.history.calls.count == 60)
        }
    }

    @Test func `an Apple that fails for hours is given up on, and said`() {
        var past = PastImport(
            environment: .production, beginsAt: noon - .days(180), endsAt: noon, liveFrom: noon - .hours(12),
            startedAt: noon)
        for _ in 1...PastImport.failuresMax { past.failed("500", at: noon) }
        #expect(past.state == .givenUp && past.request == nil && past.endedAt == noon)
    }

    @Test func `asks for each type, a month at a time, from the oldest on`() {
        var past = PastImport(
            environment: .production, beginsAt: noon - .days(70), endsAt: noon, liveFrom: noon - .hours(12),
            startedAt: noon)
        var asked: [NotificationHistoryRequest] = []
        while let request = past.request {
            asked.append(request)
            past.took(PastImport.Turn(next: nil, isCutOff: false, digest: nil, tokenDigest: nil), at: noon)
        }
        #expect(asked.count == 15 && past.state == .done)
        #expect(asked[0].start == noon - .days(70) && asked[0].end == noon - .days(40))
        #expect(asked[2].end == noon && asked[0].filter == .type("CONSUMPTION_REQUEST"))
        #expect(asked[14].filter == .type("RESCIND_CONSENT"))
    }
}

import AppStore
import FoundationEssentials
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Rules laid over the whole past") struct ReplayTests {
    private static let ada = HeldCaseTests.author

    /// Seven cases that the fair policy declined, used up; one of 2 EUR, two in the Sandbox.
    private func past(_ body: (Desk) async throws -> Void) async throws {
        try await Desk.open { desk in
            try await desk.consent()
            for number in 1...7 {
                let id = "20000009000000\(number)0"
                try await desk.usage(.delivered, share: 100_000, transaction: id)
                try await desk.take(
                    desk.note(
                        "CONSUMPTION_REQUEST",
                        desk.tx {
                            $0["transactionId"] = .text(id)
                            $0["originalTransactionId"] = .text(id)
                            if number == 1 { ($0["price"], $0["currency"]) = (2000, "EUR") }
                            if number >= 6 { $0["environment"] = "Sandbox" }
                        }))
                desk.clock.advance(by: .minutes(1))
            }
            try await body(desk)
        }
    }

    private func begin(_ text: String, _ desk: Desk) async throws -> UUID {
        try await desk.deciding.beginReplay(text, of: desk.alpha.app, by: Self.ada, role: .admin, address: nil)
    }

    private func replay(_ id: UUID, _ desk: Desk) async throws -> PolicyReplay {
        try #require(try await desk.deciding.replay(id, of: desk.alpha.app.tenant))
    }

    @Test func `goes on turn by turn, says what would change for what money, and what Apple did`() async throws {
        try await past { desk in
            try await desk.take(
                desk.note(
                    "REFUND",
                    desk.tx {
                        $0["transactionId"] = "2000000900000030"
                        $0["originalTransactionId"] = "2000000900000030"
                        $0["revocationDate"] = .number(desk.now.milliseconds)
                        $0["revocationReason"] = 0
                    }))
            let calls = desk.apple.calls.count
            let id = try await begin(
                "if price at least 1 EUR then ask a person, else send facts only\notherwise prefer GRANT_FULL", desk)
            try await desk.run(try #require(try await desk.claim(.replay)))
            let half = try await replay(id, desk)
            #expect(half.state == .running && half.looked == 4 && half.total == 5)
            try await desk.work()
            let done = try await replay(id, desk)
            let trial = try #require(done.trial)
            #expect(done.state == .done && done.endedAt != nil && trial.looked == 5 && trial.changed == 5)
            #expect(trial.fits == [1: 1, 2: 4] && trial.asks == 1)
            #expect(trial.money == ["EUR": 2000, "USD": 4 * 9990])
            #expect(
                trial.moves.map(\.now) == [.refundInFull, .factsOnly] && trial.moves.allSatisfy { $0.was == .decline })
            #expect(trial.moves[0].count(.refunded) == 1 && trial.moves[0].count(.pending) == 3)
            #expect(trial.changes.count == 5 && Set(trial.changes.map(\.id)).count == 5)
            // Nothing of it is sent, and the case keeps what went out.
            #expect(desk.apple.calls.count == calls)
            #expect(try await desk.count("refunds.cases where told = 'DECLINE'") == 7)
        }
    }

    @Test func `what was decided meanwhile is not among it, and a turn that is lost is done again`() async throws {
        try await past { desk in
            let id = try await begin("otherwise prefer GRANT_FULL", desk)
            let lost = try #require(try await desk.claim(.replay))
            try await desk.rescue()
            let found = try #require(try await desk.claim(.replay))
            await #expect(throws: ClaimLost.self) { try await desk.run(lost) }
            desk.clock.advance(by: .minutes(1))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.run(found)
            try await desk.work()
            let done = try await replay(id, desk)
            #expect(done.state == .done && done.looked == 5)
        }
    }

    @Test func `one runs for an app at a time; stopped, it stays as far as it came`() async throws {
        try await past { desk in
            let app = desk.alpha.app
            let id = try await begin("otherwise prefer GRANT_FULL", desk)
            let second = try await begin("otherwise send nothing", desk)
            #expect(second == id)
            try await desk.run(try #require(try await desk.claim(.replay)))
            try await desk.deciding.cancelReplay(id, of: app, by: Self.ada, role: .admin, address: nil)
            try await desk.work()
            let stopped = try await replay(id, desk)
            #expect(stopped.state == .cancelled && stopped.looked == 4)
            #expect(try await desk.count("queue.jobs where kind = 'replay'") == 0)
            #expect(try await begin("otherwise send nothing", desk) != id)
        }
    }

    @Test func `is begun by those who may change the policy, and only with rules that can be read`() async throws {
        try await Desk.open { desk in
            let (app, desk) = (desk.alpha.app, desk.deciding)
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                _ = try await desk.beginReplay(
                    "otherwise send nothing", of: app, by: Self.ada, role: .support, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.self) {
                _ = try await desk.beginReplay("otherwise", of: app, by: Self.ada, role: .admin, address: nil)
            }
            let id = try await desk.beginReplay(
                "otherwise send nothing", of: app, by: Self.ada, role: .admin, address: nil)
            #expect(try await desk.replay(id, of: TenantID(rawValue: app.tenant.rawValue + 1)) == nil)
        }
    }

    @Test func `the policy that decides changes nothing of what it decided`() async throws {
        try await past { desk in
            let id = try await begin(PolicyTemplate.fair.text, desk)
            try await desk.work()
            let trial = try #require(try await replay(id, desk).trial)
            #expect(trial.looked == 5 && trial.changed == 0 && trial.moves.isEmpty)
        }
    }
}

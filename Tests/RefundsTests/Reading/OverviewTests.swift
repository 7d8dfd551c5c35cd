import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@Suite struct `The overview's numbers` {
    @Test func `BL-004: sandbox is in no total`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            for (number, isSandbox, outcome) in [(1, false, "refunded"), (2, true, "refunded"), (3, true, "pending")] {
                var sample = SampleCase()
                sample.transactionID = "200000090000000\(number)"
                sample.isSandbox = isSandbox
                sample.outcome = outcome
                try await desk.add(sample, to: desk.alphaApp)
            }
            try await desk.add(SampleCase(), to: desk.alphaLite)
            try await desk.add(SampleCase(), to: desk.betaApp)
            let records = Records(database: test.database)
            let now = desk.clock.now
            let all = try await records.overview(of: desk.alpha.id, at: now)
            #expect(all.states == [.answered: 2] && all.outcomes == [.refunded: 1, .pending: 1] && all.counted == 2)
        }
    }

    @Test func `BL-004: a rehearsal is in no total, whatever its simulator calls the environment`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            let rehearsal = try await desk.addRehearsal()
            for (number, isSandbox) in [(1, false), (2, true)] {
                var sample = SampleCase()
                sample.transactionID = "200000090000000\(number)"
                sample.isSandbox = isSandbox
                sample.state = "missed"
                try await desk.add(sample, to: rehearsal)
            }
            try await desk.addRefusal(1, to: rehearsal, reason: "root-not-trusted")
            try await desk.add(SampleCase(), to: desk.alphaApp)
            let overview = try await Records(database: test.database).overview(of: desk.alpha.id, at: desk.clock.now)
            #expect(overview.states == [.answered: 1] && overview.outcomes == [.pending: 1] && overview.counted == 1)
            #expect(overview.refusals.isEmpty)
        }
    }

    @Test func `what lack of consent costs is counted beside, in Production and in each currency`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            for number in 1...5 {
                var sample = SampleCase()
                sample.transactionID = "200000090000000\(number)"
                sample.state = number < 4 ? "withheld" : "answered"
                sample.stateReason = number < 4 ? "no-consent" : nil
                sample.currency = number == 2 ? "EUR" : "USD"
                sample.isSandbox = number == 3
                sample.outcome = number == 1 || number == 4 ? "refunded" : "pending"
                try await desk.add(sample, to: desk.alphaApp)
            }
            let cost = try await Records(database: test.database).overview(of: desk.alpha.id, at: desk.clock.now)
                .consent
            #expect(cost.requests == 4 && cost.withheld == 2 && cost.refunded == 1)
            #expect(cost.price == ["USD": 9990, "EUR": 9990] && cost.refundedPrice == ["USD": 9990])
            // Withheld for another reason costs nothing of this.
            try await test.asSuperuser(
                "update refunds.cases set state_reason = 'policy' where state_reason is not null")
            let none = try await Records(database: test.database).overview(of: desk.alpha.id, at: desk.clock.now)
                .consent
            #expect(none.withheld == 0 && none.requests == 4)
        }
    }
}

import Journal
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Looking a transaction up at Apple")
struct LookUpJobTests {
    /// Asks for the transaction of the samples, with these answers.
    private func lookUp(_ desk: Desk, _ answers: LookUpResult...) async throws {
        let app = desk.alpha.app
        let rest = Answers(answers)
        let job = LookUpJob(
            database: desk.database, vault: desk.vault, tokens: desk.replies.tokens, apple: desk.side,
            clock: desk.clock.clock, journal: .silent, counters: desk.test.counters
        ) { _, _, _, _ in await rest.next() }
        let now = desk.now
        _ = try await desk.database.transaction(app.tenant.scope) { tx in
            try await RefundJobs.addLookUp(
                transaction: "2000000900000001", environment: .production, tenant: app.tenant, app: app.id, at: now,
                in: tx)
        }
        for _ in answers {
            guard let claimed = try await desk.claim(.lookUp) else { break }
            try await job.run(claimed)
            desk.clock.advance(by: .minutes(6))
        }
    }

    private actor Answers {
        private var left: [LookUpResult]
        init(_ answers: [LookUpResult]) { left = answers }
        func next() -> LookUpResult { left.removeFirst() }
    }

    @Test func `BL-087: an old record without a bundle id fills the case, with a remark`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("REFUND", desk.tx { $0["price"] = nil }))
            desk.clock.advance(by: .seconds(1))
            let found = try desk.chain.sign(desk.tx { $0["bundleId"] = nil })
            try await lookUp(desk, .found(signedTransactionInfo: found))
            #expect(try await desk.count("refunds.cases where price = 9990") == 1)
            #expect(try await desk.count("refunds.transactions where bundle_id_missing") == 1)
            #expect(try await desk.count("refunds.facts where kind = 'seen' and source = 'transaction'") == 1)
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "refunded")])
            #expect(try await desk.count("queue.jobs") == 0)
            // Twice is once.
            try await lookUp(desk, .found(signedTransactionInfo: found))
            #expect(try await desk.count("refunds.facts") == 2)
        }
    }

    @Test func `BL-087: a transaction that Apple does not find for a reply is looked up, and an old record is taken`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.always(ScriptedApple.unknownTransaction)
            desk.apple.know(try desk.chain.sign(newer(desk) { $0["bundleId"] = nil }))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "refused", outcome: "pending")])
            #expect(desk.apple.lookedUp == ["Production 2000000900000001"])
            #expect(try await desk.count("refunds.transactions where bundle_id_missing") == 1)
            #expect(try await desk.count("refunds.facts where source = 'transaction'") == 1)
        }
        // Another refusal says nothing against the transaction.
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.always(ScriptedApple.refused)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            #expect(desk.apple.lookedUp == [])
        }
    }

    @Test(arguments: ["type", "productId", "purchaseDate"])
    func `a case whose signed transaction lacks what was bought, or when, is completed by a look-up`(
        member: String
    ) async throws {
        try await Desk.open { desk in
            desk.apple.know(try desk.chain.sign(newer(desk)))
            try await desk.take(desk.note("REFUND", desk.tx { $0[member] = nil }))
            #expect(desk.apple.lookedUp == ["Production 2000000900000001"])
            #expect(
                try await desk.count(
                    "refunds.transactions where type = 'Consumable' and product_id = 'coins.100' and purchased_at > 'epoch'"
                ) == 1)
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "refunded")])
            // Known whole by now: an old form that comes late asks for nothing.
            try await desk.take(desk.note("REFUND", desk.tx { $0[member] = nil }))
            try await desk.take(desk.note("REFUND", desk.tx()))
            #expect(desk.apple.lookedUp.count == 1)
        }
    }

    /// The transaction of the samples as Apple signs it a second later.
    private func newer(_ desk: Desk, _ change: (inout J) -> Void = { _ in }) -> J {
        desk.tx {
            $0["signedDate"] = .number((desk.now + .seconds(1)).milliseconds)
            change(&$0)
        }
    }

    @Test(arguments: ["bundleId", "environment", "transactionId"])
    func `an answer about something else is not used`(member: String) async throws {
        try await Desk.open { desk in
            let other = desk.tx {
                $0[member] = member == "environment" ? "Sandbox" : member == "bundleId" ? "com.example.other" : "2"
            }
            try await lookUp(desk, .found(signedTransactionInfo: try desk.chain.sign(other)))
            try await lookUp(desk, .found(signedTransactionInfo: try desk.evil.sign(desk.tx())))
            #expect(try await desk.count("refunds.transactions") == 0)
            #expect(try await desk.count("queue.jobs where state = 'dead'") == 2)
        }
    }

    @Test func `Apple's trouble passes, its refusal does not`() async throws {
        try await Desk.open { desk in
            let found = try desk.chain.sign(desk.tx())
            try await lookUp(
                desk, .failed(ScriptedApple.retry(500)), .failed(ScriptedApple.noConnection),
                .found(signedTransactionInfo: found))
            #expect(try await desk.count("refunds.transactions") == 1)
            try await lookUp(desk, .failed(.refused(ScriptedApple.answered(404, code: 4_040_010))))
            let dead = try await desk.test.asSuperuser("select last_error from queue.jobs where state = 'dead'")
            #expect(try (dead[0]("last_error") as String).contains("4040010"))
        }
    }
}

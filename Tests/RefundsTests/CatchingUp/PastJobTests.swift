import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Apple's own records of a customer")
struct PastJobTests {
    /// Another purchase of the same Apple account.
    private static func purchase(
        _ number: Int, _ desk: Desk, daysAgo: Int64 = 40, _ change: (inout J) -> Void = { _ in }
    ) -> J {
        desk.tx {
            $0["transactionId"] = .text("\(2_000_000_900_000_100 + number)")
            $0["originalTransactionId"] = .text("\(2_000_000_900_000_100 + number)")
            $0["purchaseDate"] = .number((desk.now - .days(daysAgo)).milliseconds)
            $0["originalPurchaseDate"] = .number((desk.now - .days(daysAgo)).milliseconds)
            change(&$0)
        }
    }

    private static func refunded(_ number: Int, _ desk: Desk, daysAgo: Int64 = 30) -> J {
        purchase(number, desk) {
            $0["revocationDate"] = .number((desk.now - .days(daysAgo)).milliseconds)
            $0["revocationReason"] = 0
            $0["revocationType"] = "REFUND_PRORATED"
            $0["revocationPercentage"] = 50_000
        }
    }

    @Test func `BL-022: at a request the customer's purchases and refunds from before are learned`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.takeKey()
            for n in 1...3 { desk.records.add(try desk.chain.sign(Self.purchase(n, desk)), to: .transactions) }
            let refund = try desk.chain.sign(Self.refunded(4, desk))
            desk.records.add(refund, to: .transactions)
            desk.records.add(refund, to: .refunds)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            #expect(desk.records.calls.map(\.list) == [.transactions, .refunds])
            #expect(try await desk.count("refunds.transactions") == 5)
            // From before the app was added: history, in no rate.
            #expect(
                try await desk.cases() == [
                    .init(state: "answered", reason: nil, outcome: "pending"),
                    .init(state: "imported", reason: nil, outcome: "refunded"),
                ])
            let fact = try #require(
                try await desk.test.asSuperuser(
                    "select source, revocation_type, revocation_share from refunds.facts where kind = 'refund'"
                ).first)
            #expect(try fact("source") == "import" && fact("revocation_type") == "REFUND_PRORATED")
            let share: Int32? = try fact("revocation_share")
            #expect(share == 50_000)

            // The next request knows of them.
            let next = desk.tx {
                $0["transactionId"] = "2000000900000002"
                $0["originalTransactionId"] = "2000000900000002"
            }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", next))
            let decision = try #require(
                try await desk.test.asSuperuser(
                    """
                    select r.decision from refunds.rounds r join refunds.cases c using (tenant_id, case_id)
                    where c.transaction_id = '2000000900000002'
                    """
                ).first)
            let text: String = try decision("decision")
            #expect(text.contains(#""name":"earlier refunds","source":"our own records","value":"1""#), "\(text)")
            #expect(text.contains(#""name":"spent in USD","source":"our own records","value":"49.95 USD""#), "\(text)")
        }
    }

    @Test func `where a rule looks at them the reply waits for them, and goes out when they are read`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.takeKey()
            try await desk.test.asSuperuser(
                """
                insert into refunds.policies (tenant_id, app_id, version, rules, made_at)
                values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 1,
                  \("if refunds at least 1 then prefer DECLINE\notherwise send facts only"), \(desk.now))
                """)
            desk.records.add(try desk.chain.sign(Self.refunded(1, desk)), to: .refunds)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.records.calls.count == 2 && desk.apple.calls.count == 1)
            #expect(desk.apple.calls.first?.body.contains("DECLINE") == true)
        }
    }

    @Test func `an Apple that does not answer costs the reply a moment and no more`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.takeKey()
            try await desk.test.asSuperuser(
                """
                insert into refunds.policies (tenant_id, app_id, version, rules, made_at)
                values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 1,
                  'otherwise send facts only # refunds', \(desk.now))
                """)
            desk.records.always(.failed(ScriptedApple.retry(500)))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.isEmpty)
            desk.clock.advance(by: .seconds(20))
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `what was read lately is not read again, and later only what came since`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.takeKey()
            desk.records.pages(of: 2)
            for n in 1...3 { desk.records.add(try desk.chain.sign(Self.purchase(n, desk)), to: .transactions) }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.records.calls.map(\.revision) == [nil, "2", nil])
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.records.calls.count == 3)
            desk.clock.advance(by: .hours(13))
            try await desk.takeKey()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.records.calls.dropFirst(3).map(\.revision) == ["3", "0"])
        }
    }

    @Test func `what is not Apple's is left out, and said`() async throws {
        try await Desk.open { desk in
            try await desk.takeKey()
            desk.records.add(try desk.evil.sign(Self.refunded(1, desk)), to: .refunds)
            desk.records.add(
                try desk.chain.sign(Self.purchase(2, desk).with("bundleId", "com.example.other")), to: .refunds)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.count("refunds.transactions") == 1)
            #expect(try await desk.count("refunds.cases") == 1)
            #expect(try await desk.count("refunds.pasts where trouble like '2 of%'") == 1)
        }
    }

    @Test func `a key that no reply has proven is tried by nothing here`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.records.calls.isEmpty)
            #expect(try await desk.count("queue.jobs where kind = 'past' and state = 'waiting'") == 1)
        }
    }

    // MARK: Decisions

    @Test func `a refund whose notification never came ends its case`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            desk.clock.advance(by: .hours(25))
            try await desk.takeKey()
            let refund = desk.tx {
                $0["revocationDate"] = .number((desk.now - .hours(3)).milliseconds)
                $0["revocationType"] = "REFUND_FULL"
            }
            desk.records.add(try desk.chain.sign(refund), to: .refunds)
            try await desk.lookForDecisions()
            #expect(try await desk.cases() == [.init(state: "answered", reason: nil, outcome: "refunded")])
            #expect(try await desk.count("refunds.facts where kind = 'refund' and source = 'refund-history'") == 1)

            // The notification comes after all, and then its reversal: one story.
            try await desk.take(desk.note("REFUND", refund))
            try await desk.take(desk.note("REFUND_REVERSED", desk.tx()))
            #expect(try await desk.cases().first?.outcome == "reversed")
        }
    }

    @Test func `a decision that is never heard is said after 14 days, and a later one still counts`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            for _ in 1...13 {
                desk.clock.advance(by: .days(1) + .minutes(1))
                try await desk.takeKey()
                try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
                try await desk.lookForDecisions()
            }
            #expect(try await desk.cases().first?.outcome == "pending")
            // Once a day, and only once.
            let looks = desk.records.calls.count { $0.list == .refunds }
            #expect(looks >= 13 && looks <= 15, "\(looks)")
            desk.clock.advance(by: .days(1))
            try await desk.lookForDecisions()
            #expect(try await desk.cases() == [.init(state: "answered", reason: nil, outcome: "unheard")])
            desk.clock.advance(by: .days(3))
            try await desk.lookForDecisions()
            #expect(try await desk.count("queue.jobs where kind = 'past'") == 0)
            #expect(desk.test.counters.value("cases_unheard_total") == 1)
            try await desk.take(desk.note("REFUND_DECLINED", desk.tx()))
            #expect(try await desk.cases().first?.outcome == "declined")
        }
    }

    @Test func `without a key nothing is asked, and the case is closed in time all the same`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            desk.clock.advance(by: .days(15))
            try await desk.lookForDecisions()
            #expect(desk.records.calls.isEmpty)
            #expect(try await desk.cases().first?.outcome == "unheard")
        }
    }
}

extension J {
    func with(_ name: String, _ value: J) -> J {
        var copy = self
        copy[name] = value
        return copy
    }
}

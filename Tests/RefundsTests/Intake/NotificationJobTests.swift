import Crypto
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Reading a notification")
struct NotificationJobTests {
    @Test func `BL-059: an inner text that is not Apple's is set aside and never acted on`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx(), by: desk.evil))
            #expect(try await desk.count("refunds.notifications where standing = 'set-aside'") == 1)
            #expect(try await desk.count("refunds.cases") == 0)
            #expect(try await desk.count("refunds.transactions") == 0)
            #expect(try await desk.count("refunds.refusals where notification_uuid is not null") == 1)
            #expect(desk.apple.calls.isEmpty)
        }
    }

    @Test func `BL-059: a REFUND's case shows exactly its transaction`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("REFUND", desk.tx()))
            let row = try await desk.test.asSuperuser("select transaction_id from refunds.cases").first
            #expect(try row?("transaction_id") == "2000000900000001")
        }
    }

    @Test(arguments: ["environment", "bundleId", "transactionId"])
    func `an inner text that contradicts its notification is set aside`(member: String) async throws {
        try await Desk.open { desk in
            let inner = desk.tx {
                $0[member] = member == "environment" ? "Sandbox" : member == "bundleId" ? "com.example.other" : ""
            }
            try await desk.take(
                desk.note("REFUND", inner) {
                    $0["data"]?["environment"] = "Production"
                    $0["data"]?["appAppleId"] = 6_450_000_001
                })
            #expect(try await desk.count("refunds.notifications where standing = 'set-aside'") == 1)
            #expect(try await desk.count("refunds.cases") == 0)
        }
    }

    @Test(arguments: [("2000000900000010", "nothing-to-do"), ("2000000900000099", "set-aside")])
    func `renewal info belongs to the purchase of its transaction, or both are set aside`(
        original: String, standing: String
    ) async throws {
        try await Desk.open { desk in
            let renewal = try desk.chain.sign(
                [
                    "originalTransactionId": .text(original), "autoRenewStatus": 1, "environment": "Production",
                    "signedDate": .number(desk.now.milliseconds),
                ] as J)
            try await desk.take(
                desk.note("DID_RENEW", desk.sub()) { $0["data"]?["signedRenewalInfo"] = .text(renewal) })
            let rows = try await desk.test.asSuperuser("select standing from refunds.notifications")
            #expect(try rows.map { try $0("standing") as String } == [standing])
            let isAside = standing == "set-aside"
            #expect(try await desk.count("refunds.transactions") == (isAside ? 0 : 1))
            #expect(try await desk.count("refunds.refusals where notification_uuid is not null") == (isAside ? 1 : 0))
        }
    }

    @Test func `a request without its transaction is set aside`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST"))
            #expect(try await desk.count("refunds.notifications where standing = 'set-aside'") == 1)
        }
    }

    @Test func `BL-004: two environments at one address stay apart`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["environment"] = "Sandbox" }))
            #expect(try await desk.count("refunds.cases where state = 'answered'") == 2)
            #expect(desk.apple.calls.map(\.environment) == [.production, .sandbox])
        }
    }

    @Test func `BL-020 and BL-048: amounts are kept as they came, beyond 32 bits too`() async throws {
        try await Desk.open { desk in
            for (id, price) in [("2000000900000001", 9990), ("2000000900000002", 4_999_000_000)] as [(String, Int64)] {
                try await desk.take(
                    desk.note(
                        "REFUND",
                        desk.tx {
                            $0["transactionId"] = .text(id)
                            $0["price"] = .number(price)
                        }))
            }
            let rows = try await desk.test.asSuperuser("select price, currency from refunds.cases order by price")
            #expect(try rows.map { try $0("price") as Int64 } == [9990, 4_999_000_000])
            #expect(try rows[0]("currency") == "USD")
        }
    }

    @Test func `BL-021: a reversal takes the refund back`() async throws {
        try await Desk.open { desk in
            try await desk.take(
                desk.note(
                    "REFUND",
                    desk.tx {
                        $0["revocationDate"] = .number((desk.now - .hours(1)).milliseconds)
                        $0["revocationReason"] = 0
                    }))
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "refunded")])
            desk.clock.advance(by: .seconds(1))
            try await desk.take(desk.note("REFUND_REVERSED", desk.tx()))
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "reversed")])
            #expect(try await desk.count("refunds.facts") == 2)
            #expect(try await desk.count("refunds.transactions where revoked_at is null") == 1)
        }
    }

    @Test(arguments: [nil, J.none, "", "user-123"] as [J?])
    func `BL-023: a token that is absent, null, empty or no UUID`(token: J?) async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("REFUND", desk.tx { $0["appAccountToken"] = token }))
            let row = try #require(try await desk.test.asSuperuser("select customer from refunds.cases").first)
            let customer: String? = try row("customer")
            if case .text("user-123") = token { #expect(customer == "user-123") } else { #expect(customer == nil) }
        }
    }

    @Test func `BL-027: the customer's reason is kept verbatim, or is not given`() async throws {
        try await Desk.open { desk in
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx()) {
                    $0["data"]?["consumptionRequestReason"] = "UNINTENDED_PURCHASE"
                })
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = "2000000900000002" }) {
                    $0["data"]?["consumptionRequestReason"] = nil
                })
            let rows = try await desk.test.asSuperuser("select reason from refunds.cases order by transaction_id")
            #expect(try rows.map { try $0("reason") as String? } == ["UNINTENDED_PURCHASE", nil])
        }
    }

    @Test func `BL-040: a renewal delivered late goes to the story only`() async throws {
        try await Desk.open { desk in
            let earlier = desk.now - .minutes(10)
            let refunded = desk.sub {
                $0["revocationDate"] = .number((desk.now - .hours(1)).milliseconds)
                $0["revocationType"] = "REFUND_FULL"
            }
            let renewed = desk.sub { $0["signedDate"] = .number(earlier.milliseconds) }
            try await desk.take(desk.note("REFUND", refunded))
            try await desk.take(desk.note("DID_RENEW", renewed) { $0["signedDate"] = .number(earlier.milliseconds) })
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "refunded")])
            #expect(try await desk.count("refunds.transactions where revoked_at is not null") == 1)
            #expect(try await desk.count("refunds.facts") == 2)
        }
    }

    @Test func `what came before the case is part of its story`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("DID_RENEW", desk.sub()))
            #expect(try await desk.count("refunds.cases") == 0)
            desk.clock.advance(by: .seconds(1))
            try await desk.take(desk.note("REFUND", desk.sub()))
            let rows = try await desk.test.asSuperuser("select kind from refunds.facts order by signed_at")
            #expect(try rows.map { try $0("kind") as String } == ["seen", "refund"])
        }
    }

    @Test func `BL-050: without an original transaction the transaction is its own`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("REFUND", desk.tx { $0["originalTransactionId"] = nil }))
            let row = try await desk.test.asSuperuser("select original_transaction_id from refunds.cases").first
            #expect(try row?("original_transaction_id") == "2000000900000001")
        }
    }

    @Test func `BL-051: a purchase that was seen before is linked to its case`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("ONE_TIME_CHARGE", desk.tx()))
            #expect(try await desk.count("refunds.transactions where price = 9990 and purchased_at is not null") == 1)
            #expect(try await desk.count("refunds.cases") == 0)
            desk.clock.advance(by: .seconds(1))
            let bought = desk.now - .days(1)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.count("refunds.facts where kind = 'seen'") == 1)
            let records = Records(database: desk.database)
            let tenant = desk.alpha.app.tenant
            let line = try #require(try await records.lookUp("2000000900000001", of: tenant).cases.first)
            let story = try #require(try await records.story(of: tenant, case: line.id))
            #expect(story.line.price == 9990 && story.line.currency == "USD")
            #expect(story.purchase?.purchasedAt == bought)
            #expect(story.notifications.map(\.type) == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST"])
        }
    }

    @Test func `BL-077: a refund's kind and share are kept raw, an unknown kind too`() async throws {
        try await Desk.open { desk in
            for (id, kind) in [("2000000900000001", "REFUND_PRORATED"), ("2000000900000002", "HALF_MOON")] {
                try await desk.take(
                    desk.note(
                        "REFUND",
                        desk.tx {
                            $0["transactionId"] = .text(id)
                            $0["revocationType"] = .text(kind)
                            $0["revocationPercentage"] = 50_000
                            $0["revocationDate"] = .number(desk.now.milliseconds)
                        }))
            }
            let rows = try await desk.test.asSuperuser(
                "select revocation_type, revocation_share from refunds.facts order by revocation_type")
            #expect(try rows.map { try $0("revocation_type") as String } == ["HALF_MOON", "REFUND_PRORATED"])
            #expect(try rows.map { try $0("revocation_share") as Int32 } == [50_000, 50_000])
        }
    }

    @Test func `trouble of our own postpones the reading, and it is done long after the deadline too`() async throws {
        try await Desk.open { desk in
            let inner = desk.tx { $0["environment"] = "Sandbox" }
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", inner)) == .accepted)
            try await desk.test.asSuperuser("alter table refunds.transactions rename to away")
            try await desk.work()
            let waiting = try await desk.test.asSuperuser("select state, last_error from queue.jobs")
            #expect(try waiting.map { try $0("state") as String } == ["waiting"])
            #expect(try (waiting[0]("last_error") as String).contains("42P01"))
            desk.clock.advance(by: .hours(1))
            try await desk.work()
            try await desk.test.asSuperuser("alter table refunds.away rename to transactions")
            desk.clock.advance(by: .minutes(1))
            try await desk.work()
            #expect(try await desk.cases() == [.init(state: "missed", reason: "not-attempted", outcome: "pending")])
        }
    }

    @Test func `all orders of delivery through the database end in the same state`() async throws {
        // A request, a refund, its reversal and a second request, in all orders.
        let kinds = ["CONSUMPTION_REQUEST", "REFUND", "REFUND_REVERSED", "CONSUMPTION_REQUEST"]
        var orders: [[Int]] = [[]]
        for _ in kinds {
            orders = orders.flatMap { order in kinds.indices.filter { !order.contains($0) }.map { order + [$0] } }
        }
        let all = orders
        try await Desk.open { desk in
            let start = desk.now - .minutes(10)
            var seen: Set<Desk.Seen> = []
            for (index, order) in all.enumerated() {
                let id = String(2_000_000_900_001_000 + index)
                for step in order {
                    let signed = start + .minutes(Int64(step))
                    let inner = desk.tx {
                        $0["transactionId"] = .text(id)
                        $0["signedDate"] = .number(signed.milliseconds)
                    }
                    let note = try desk.note(kinds[step], inner) { $0["signedDate"] = .number(signed.milliseconds) }
                    #expect(try await desk.post(note) == .accepted)
                    try await desk.work()
                }
            }
            for one in try await desk.cases() { seen.insert(one) }
            #expect(try await desk.count("refunds.cases") == 24)
            #expect(seen == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            let rounds = try await desk.test.asSuperuser("select distinct state from refunds.rounds order by state")
            #expect(try rows(rounds) == ["superseded", "withheld"])
        }
    }

    private func rows(_ rows: [Row]) throws -> [String] { try rows.map { try $0("state") } }
}

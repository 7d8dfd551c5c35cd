import AppStore
import FoundationEssentials
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `The register of refunds` {
    @Test func `what Apple's notifications told of purchase and refund stands in it, item by item`() async throws {
        try await Desk.open { desk in
            // Bought and asked for in one month, whatever day it is.
            let bought = J.number(desk.now.milliseconds)
            try await desk.know(desk.addOns { $0["purchaseDate"] = bought })
            _ = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            let records = Records(database: desk.database)
            let filter = RegisterFilter(
                apps: [desk.alpha.app.id], environment: .production, from: desk.now - .days(400),
                to: desk.now + .days(40))
            let before = try await records.registerSummary(of: desk.alpha.app.tenant, filter)
            #expect(before.total == RegisterTally(asked: 1, sold: 3))
            let waiting = try #require(
                try await records.registerEntries(of: desk.alpha.app.tenant, filter).entries.first)
            #expect(waiting.sku == "addon.a" && waiting.price == 3000 && waiting.state == .accepted)
            #expect(waiting.currency == "USD" && waiting.storefront == "USA" && waiting.refundedAmount == nil)
            desk.clock.advance(by: .minutes(20))
            let at = J.number(desk.now.milliseconds)
            try await desk.take(
                desk.note(
                    "REFUND",
                    desk.addOns {
                        let refunds: [J] = [["refundAmount": 3000, "refundDate": at, "refundType": "FULL"]]
                        let items: [J] = [
                            ["SKU": "base", "price": 4990],
                            ["SKU": "addon.a", "price": 3000, "refunds": .array(refunds), "revocationDate": at],
                            ["SKU": "addon.b", "price": 2000],
                        ]
                        $0["advancedCommerceInfo"] = ["items": .array(items)]
                        $0["purchaseDate"] = bought
                        $0["signedDate"] = at
                    }))
            let after = try await records.registerSummary(of: desk.alpha.app.tenant, filter)
            #expect(after.total == RegisterTally(asked: 1, refunded: 1, sold: 3))
            #expect(after.refundedAmounts == ["USD": 3000])
            let line = try #require(try await records.registerLines(of: desk.alpha.app.tenant, filter).lines.first)
            #expect(line.sku == "addon.a" && line.tally.sold == 1 && line.tally.rate == 100_000)
        }
    }

    @Test func `a revocation stands in it with every item that was bought, its price and what came back for it`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let asked = try await desk.ask(
                CommerceIntention(
                    kind: .revoke, environment: .production, transactionID: "2000000900000012", refundReason: .legal,
                    refundType: .full, refundRiskingPreference: false, note: "Asked in writing."), acceptsWarnings: true
            )
            try await desk.work()
            let body = try #require(desk.advancedCommerce.calls.first?.body)
            #expect(!body.contains("items"))
            desk.clock.advance(by: .minutes(20))
            try await desk.take(desk.note("REFUND", desk.refunded("base", "addon.a", "addon.b")))
            #expect(try await desk.request(asked.id).state == .refunded)
            let records = Records(database: desk.database)
            let filter = RegisterFilter(
                apps: [desk.alpha.app.id], environment: .production, from: desk.now - .days(400),
                to: desk.now + .days(40))
            let entries = try await records.registerEntries(of: desk.alpha.app.tenant, filter).entries
            #expect(entries.map(\.sku) == ["base", "addon.a", "addon.b"])
            #expect(entries.map(\.price) == [4990, 3000, 2000])
            #expect(entries.map(\.refundedAmount) == [4990, 3000, 2000])
            #expect(entries.allSatisfy { $0.reason == .legal && $0.type == .full && $0.revokedAt != nil })
            let summary = try await records.registerSummary(of: desk.alpha.app.tenant, filter)
            #expect(summary.total == RegisterTally(asked: 3, refunded: 3, sold: 3))
            #expect(summary.refundedAmounts == ["USD": 9990])
        }
    }

    @Test func `what the customer's own request brought back is not ours`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.advancedCommerce.script(.refused(ScriptedCommerce.answer(400, 4_000_181)))
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            desk.clock.advance(by: .minutes(20))
            try await desk.take(desk.note("REFUND", desk.refunded("base", "addon.a", "addon.b")))
            let request = try await desk.request(asked.id)
            #expect(request.state == .refunded && request.stateReason == .customersRequest)
            let filter = RegisterFilter(
                apps: [desk.alpha.app.id], environment: .production, from: desk.now - .days(400),
                to: desk.now + .days(40))
            let summary = try await Records(database: desk.database).registerSummary(
                of: desk.alpha.app.tenant, filter)
            #expect(summary.total == RegisterTally(asked: 1, sold: 3))
            #expect(summary.refundedAmounts.isEmpty)
        }
    }
}

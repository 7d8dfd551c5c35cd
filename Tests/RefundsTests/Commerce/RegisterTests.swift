import FoundationEssentials
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `The register of refunds` {
    @Test func `what Apple's notifications told of purchase and refund stands in it, item by item`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
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
                        $0["signedDate"] = at
                    }))
            let after = try await records.registerSummary(of: desk.alpha.app.tenant, filter)
            #expect(after.total == RegisterTally(asked: 1, refunded: 1, sold: 3))
            #expect(after.refundedAmounts == ["USD": 3000])
            let line = try #require(try await records.registerLines(of: desk.alpha.app.tenant, filter).lines.first)
            #expect(line.sku == "addon.a" && line.tally.sold == 1 && line.tally.rate == 100_000)
        }
    }
}

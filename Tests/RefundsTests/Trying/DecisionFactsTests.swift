import AppStore
import Testing
import Time

@testable import Refunds

@Suite("What rules saw, as it is kept") struct DecisionFactsTests {
    /// Everything that a rule may look at.
    private static let whole = purchase { facts in
        facts.reason = Known("A_REASON_OF_2031")
        facts.share = Evidence(66_667, .setting)
        facts.delivery = Evidence(.undeliveredServerOutage, .setting)
        facts.consent = .given(at: Moment(milliseconds: 0), changeNo: 0)
        facts.circumstances = PurchaseFacts.Circumstances(
            product: "com.example.münzen 100", price: 9_990, currency: "EUR", storefront: "DEU", environment: .sandbox,
            purchasedAt: noon - .days(3), expiresAt: noon + .days(27), offer: Known(3), isFreeTrial: true,
            isCustomerKnown: true, earlierRequests: 2, earlierRefunds: 1, spent: ["EUR": 49_990, "USD": -1],
            timeLeft: .minutes(-5))
    }

    @Test func `is read back to the value`() {
        #expect(DecisionFacts.read(DecisionFacts.text(Self.whole)) == Self.whole)
        let plain = purchase {
            $0.consent = .given(at: Moment(milliseconds: 0), changeNo: 0)
            ($0.delivery, $0.share, $0.reason, $0.type) = (nil, nil, nil, nil)
        }
        #expect(DecisionFacts.read(DecisionFacts.text(plain)) == plain)
        var known = plain
        known.circumstances.spent = [:]
        #expect(DecisionFacts.read(DecisionFacts.text(known)).circumstances.spent == [:])
    }

    @Test func `BL-009: nothing used, and use unknown, are kept apart`() {
        for (share, use) in [(0 as Int?, PurchaseFacts.Use.notAtAll), (nil, .unknown), (100_000, .usedUp)] {
            var facts = Self.whole
            facts.share = share.map { Evidence($0, .setting) }
            #expect(DecisionFacts.read(DecisionFacts.text(facts)).use == use)
        }
    }

    @Test func `every rule says the same of what is read back`() throws {
        let read = DecisionFacts.read(DecisionFacts.text(Self.whole))
        for template in PolicyTemplate.allCases {
            #expect(Policy(template: template).rule(for: read) == Policy(template: template).rule(for: Self.whole))
        }
    }

    @Test(arguments: ["a", "m", "mx9", "m99999999999999999999", "q-", "$ EUR", "Zwhat of 2031", "\t\t", "e", "u--1"])
    func `what cannot be read is unknown, and harms nothing beside it`(field: String) {
        let read = DecisionFacts.read("pcoins.100\t\(field)\tcUSD")
        #expect(read.circumstances.product == "coins.100" && read.circumstances.currency == "USD")
        #expect(read.circumstances.price == nil && read.circumstances.earlierRequests == nil && read.share == nil)
    }

    @Test func `a value that would break the form is left out`() {
        var facts = Self.whole
        facts.circumstances.product = "a\tuDECLINE"
        facts.reason = Known(String(repeating: "R", count: 1001))
        let read = DecisionFacts.read(DecisionFacts.text(facts))
        #expect(read.circumstances.product == nil && read.reason == nil && read.share == facts.share)
    }
}

@Suite("The difference of two shares") struct ShareDifferenceTests {
    @Test(arguments: [
        // Newcombe (1998), table II, method 10.
        (56, 70, 48, 80, 0.0524, 0.3339), (9, 10, 3, 10, 0.1705, 0.8090), (10, 10, 0, 10, 0.6075, 1.0),
        (0, 10, 0, 20, -0.1611, 0.2775), (5, 56, 0, 29, -0.0381, 0.1926),
    ]) func `has the interval of the paper`(
        hits: Int, of: Int, otherHits: Int, otherOf: Int, from: Double, to: Double
    ) {
        let difference = ShareDifference(.init(hits: hits, of: of), .init(hits: otherHits, of: otherOf))
        #expect(abs(difference.interval.lowerBound - from) < 0.0001, "\(difference.interval)")
        #expect(abs(difference.interval.upperBound - to) < 0.0001, "\(difference.interval)")
        #expect(difference.isCertain == (from > 0))
    }

    @Test func `is not told of few cases`() {
        let few = HoldOutEffect.Line(
            preference: .decline, told: .init(hits: 1, of: 500), heldOut: .init(hits: 20, of: 29))
        #expect(few.difference == nil)
        let enough = HoldOutEffect.Line(
            preference: .decline, told: .init(hits: 1, of: 500), heldOut: .init(hits: 20, of: 30))
        #expect(enough.difference?.isCertain == true)
    }
}

import AppStore
import FoundationEssentials
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `Rules of commerce requests` {
    static let now = Moment(milliseconds: 1_790_000_000_000)

    static func purchase(_ change: (inout CommercePurchase) -> Void = { _ in }) -> CommercePurchase {
        var purchase = CommercePurchase(
            environment: .production, transactionID: "2000000900000012", originalTransactionID: "2000000900000010",
            isSubscription: true,
            items: [
                .init(sku: "base", price: 4990), .init(sku: "addon.a", price: 3000),
                .init(sku: "addon.b", price: 2000),
            ], price: 9990, currency: "USD", storefront: "USA", expiresAt: now + .days(20))
        change(&purchase)
        return purchase
    }

    static func intention(_ change: (inout CommerceIntention) -> Void = { _ in }) -> CommerceIntention {
        var intention = CommerceIntention(
            kind: .refund, environment: .production, transactionID: "2000000900000012",
            items: [.init(sku: "addon.a", refundReason: .other, refundType: .full, revoke: false)],
            refundRiskingPreference: false)
        change(&intention)
        return intention
    }

    static func revoke(_ change: (inout CommerceIntention) -> Void = { _ in }) -> CommerceIntention {
        var intention = CommerceIntention(
            kind: .revoke, environment: .production, transactionID: "2000000900000012", refundReason: .other,
            refundType: .prorated, refundRiskingPreference: true)
        change(&intention)
        return intention
    }

    struct Spoiled: Sendable, CustomStringConvertible {
        let description: String
        let intention: CommerceIntention
        let purchase: CommercePurchase
        let member: String
        let code: Int64?
        let severity: CommerceTrouble.Severity

        init(
            _ description: String, _ member: String, _ code: Int64?, _ severity: CommerceTrouble.Severity = .refused,
            _ intention: CommerceIntention = `Rules of commerce requests`.intention(),
            _ purchase: CommercePurchase = `Rules of commerce requests`.purchase()
        ) {
            self.description = description
            self.intention = intention
            self.purchase = purchase
            self.member = member
            self.code = code
            self.severity = severity
        }
    }

    private static func custom(_ amount: Int64?) -> CommerceIntention {
        intention {
            $0.items[0].refundType = .custom
            $0.items[0].refundAmount = amount
        }
    }

    static let table: [Spoiled] = [
        .init("custom without amount", "items[0].refundAmount", 4_000_153, .refused, custom(nil)),
        .init("a note that turns", "note", nil, .refused, intention { $0.note = "paid\u{202E}" }),
        .init("custom of nothing", "items[0].refundAmount", 4_000_154, .refused, custom(0)),
        .init("custom of less than nothing", "items[0].refundAmount", 4_000_154, .refused, custom(-10)),
        .init("beyond 32 bits", "items[0].refundAmount", 4_000_132, .refused, custom(2_147_483_648)),
        .init("not a cent", "items[0].refundAmount", 4_000_132, .refused, custom(995)),
        .init("above the price", "items[0].refundAmount", 4_000_132, .warning, custom(3010)),
        .init(
            "half a yen", "items[0].refundAmount", 4_000_132, .refused, custom(500_500),
            purchase {
                $0.currency = "JPY"
                $0.items[1].price = 3_000_000
            }),
        .init(
            "amount with full", "items[0].refundAmount", 4_000_155, .refused,
            intention { $0.items[0].refundAmount = 10 }),
        .init("no items", "items", 4_000_160, .refused, intention { $0.items = [] }),
        .init(
            "item twice", "items[1].SKU", 4_000_194, .refused, intention { $0.items += $0.items }),
        .init("unknown item", "items[0].SKU", 4_000_122, .refused, intention { $0.items[0].sku = "x" }),
        .init(
            "all items revoked", "items", 4_000_168, .refused,
            intention {
                $0.items = ["base", "addon.a", "addon.b"].map {
                    .init(sku: $0, refundReason: .other, refundType: .full, revoke: true)
                }
            }),
        .init(
            "no choice about consumption data", "refundRiskingPreference", 4_000_159, .refused,
            intention { $0.refundRiskingPreference = nil }),
        .init(
            "simulation in Production", "items[0].refundReason", 4_000_158, .refused,
            intention { $0.items[0].refundReason = .simulateRefundDecline }),
        .init(
            "simulation for one of two", "items", 4_000_184, .refused,
            intention {
                $0.environment = .sandbox
                $0.items[0].refundReason = .simulateRefundDecline
                $0.items.append(.init(sku: "addon.b", refundReason: .other, refundType: .full, revoke: false))
            }),
        .init(
            "prorated on an old transaction", "items[0].refundType", 4_000_182, .refused,
            intention { $0.items[0].refundType = .prorated }, purchase { $0.isLatest = false }),
        .init(
            "refunded before", "items[0].SKU", 4_030_021, .refused, intention(),
            purchase { $0.items[1].refunds = [.init(amount: 3000)] }),
        .init(
            "a copy of the family's", "transactionId", 4_030_013, .refused, intention(),
            purchase { $0.isFamilyShared = true }),
        .init(
            "an ordinary purchase", "transactionId", nil, .refused, intention(),
            purchase { $0.isAdvancedCommerce = false }),
        .init(
            "the customer asked first", "transactionId", 4_000_181, .warning, intention(),
            purchase { $0.hasPendingCustomerRequest = true }),
        .init("another storefront", "storefront", 4_000_133, .refused, intention { $0.storefront = "DEU" }),
        .init("no storefront at all", "storefront", 4_000_028, .refused, intention { $0.storefront = "us" }),
        .init("revoke all items", "kind", nil, .warning, revoke()),
        .init("revoke what ended", "kind", 4_000_186, .refused, revoke(), purchase { $0.expiresAt = now - .days(1) }),
        .init("revoke with an amount", "refundType", 4_000_123, .refused, revoke { $0.refundType = .custom }),
        .init("revoke without reason", "refundReason", 4_000_156, .refused, revoke { $0.refundReason = nil }),
        .init("revoke without kind", "refundType", 4_000_157, .refused, revoke { $0.refundType = nil }),
        .init(
            "cancel with money", "refundRiskingPreference", nil, .refused,
            intention {
                $0.kind = .cancel
                $0.items = []
            }),
    ]

    @Test(arguments: table)
    func `BL-081: each rule is said at its member, with Apple's code`(spoiled: Spoiled) {
        let troubles = CommerceRule.troubles(of: spoiled.intention, against: spoiled.purchase, at: Self.now)
        let found = troubles.first { $0.member == spoiled.member && $0.appleCode == spoiled.code }
        #expect(found?.severity == spoiled.severity, "\(troubles)")
        #expect(found?.text.isEmpty == false)
    }

    @Test func `what keeps every rule is not troubled`() {
        #expect(CommerceRule.troubles(of: Self.intention(), against: Self.purchase(), at: Self.now).isEmpty)
        #expect(CommerceRule.troubles(of: Self.custom(2990), against: Self.purchase(), at: Self.now).isEmpty)
    }

    @Test(arguments: [("4.99", 4990), ("500", 500_000), ("4,9", 4900), ("0.001", 1)] as [(String, Int64)])
    func `BL-081: amounts are read to the thousandth`(text: String, milliunits: Int64) {
        #expect(CurrencyDecimals.milliunits(text) == milliunits)
    }

    @Test(arguments: ["", "-1", "1.2345", "1 000", "1.2.3", "１"])
    func `what is no amount is none`(text: String) { #expect(CurrencyDecimals.milliunits(text) == nil) }

    @Test func `amounts are written with the decimals of their currency`() {
        #expect(CurrencyDecimals.text(4990, "USD") == "4.99 USD")
        #expect(CurrencyDecimals.text(500_000, "JPY") == "500 JPY")
        #expect(CurrencyDecimals.text(1500, "JPY") == "1.5 JPY")
    }

    @Test func `the tax is said with the storefront's name`() {
        let american = CommercePreview(Self.intention(), of: Self.purchase(), costs: [], at: Self.now)
        #expect(american.taxNote.contains("without tax") && american.taxNote.contains("United States"))
        #expect(american.total == 3000)
        #expect(american.stays.map(\.sku) == ["base", "addon.b"])
        let german = CommercePreview(
            Self.intention(), of: Self.purchase { $0.storefront = "DEU" }, costs: [], at: Self.now)
        #expect(german.taxNote.contains("include tax") && german.taxNote.contains("Germany"))
    }

    @Test func `every code of the three calls has a sentence and a verdict of its own`() {
        let codes: [Int64] = [
            4_000_097, 4_000_079, 4_000_033, 4_000_080, 4_000_081, 4_000_082, 4_000_028, 4_000_133, 4_000_135,
            4_000_173, 4_000_158, 4_000_155, 4_000_159, 4_000_123, 4_000_124, 4_000_154, 4_000_153, 4_000_156,
            4_000_157, 4_000_168, 4_000_181, 4_000_182, 4_000_184, 4_000_186, 4_030_008, 4_030_010, 4_030_013,
            4_030_020, 4_030_021, 4_030_024, 4_030_025, 4_040_010, 4_290_000, 5_000_000, 5_000_001,
        ]
        var sentences: Set<String> = []
        for code in codes {
            let words = CommerceErrorWords(status: Int(code / 10000), code: code, kind: .refund)
            #expect(!words.isDoubted, "\(code)")
            #expect(words.name != nil, "\(code)")
            #expect(sentences.insert(words.sentence).inserted, "\(code)")
        }
        #expect(CommerceErrorWords(status: 403, code: nil, kind: .revoke).isDoubted)
        #expect(CommerceErrorWords(status: 403, code: 4_031_234, kind: .revoke).isDoubted)
        #expect(!CommerceErrorWords(status: 401, code: nil, kind: .revoke).isDoubted)
        #expect(CommerceErrorWords(status: 401, code: nil, kind: .revoke).sentence.contains("addendum"))
    }
}

@Suite struct `States of commerce requests` {
    static let now = Moment(milliseconds: 1_790_000_000_000)

    @Test func `the order in which facts arrive changes nothing`() throws {
        let ids = (0..<4).map { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)") }
        var facts: [CommerceFact] = []
        for (index, id) in ids.enumerated() {
            let id = try #require(id)
            facts.append(
                CommerceFact(
                    id: id, kind: [.refunded, .refunded, .declined, .reversed][index],
                    sku: ["a", "b", nil, nil][index], signedAt: Self.now + .minutes(Int64(index))))
        }
        var request = CommerceProgress(
            kind: .refund, skus: ["a", "b"],
            attempts: [CommerceAttempt(number: 1, startedAt: Self.now, endedAt: Self.now, result: .accepted)])
        for mask in 0..<16 {
            let chosen = facts.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)
            var seen: Set<CommerceProgress.Standing> = []
            for order in Self.permutations(chosen) {
                request.facts = []
                for fact in order + order { request.facts.insert(fact) }
                seen.insert(request.standing(at: Self.now))
            }
            #expect(seen.count == 1, "\(mask): \(seen)")
        }
        request.facts = Set(facts[0...0])
        #expect(request.standing(at: Self.now) == .init(.accepted, .partly))
        request.facts = Set(facts[0...1])
        #expect(request.standing(at: Self.now) == .init(.refunded))
        request.facts = [facts[2]]
        #expect(request.standing(at: Self.now) == .init(.declined))
        request.facts = [facts[0], facts[1], facts[3]]
        #expect(request.standing(at: Self.now) == .init(.refunded, .reversed))
    }

    @Test(
        arguments: [
            ([(.refused, 4_030_024)], .failed, .refused), ([(.refused, 4_000_181)], .refunded, .customersRequest),
            ([(.unknown, nil), (.refused, 4_030_024)], .refunded, nil), ([(.notSent, nil)], .queued, nil),
        ] as [([(CommerceAttempt.Result?, Int64?)], CommerceRequestState, CommerceStateReason?)])
    func `a refund after Apple's no is the customer's own, unless a call before it may have arrived`(
        attempts: [(CommerceAttempt.Result?, Int64?)], state: CommerceRequestState, reason: CommerceStateReason?
    ) {
        let request = CommerceProgress(
            kind: .refund, skus: ["a"],
            attempts: attempts.enumerated().map { index, attempt in
                CommerceAttempt(number: index + 1, startedAt: Self.now, result: attempt.0, code: attempt.1)
            }, facts: [CommerceFact(id: UUID(), kind: .refunded, sku: "a", signedAt: Self.now + .hours(1))])
        #expect(request.standing(at: Self.now + .hours(2)) == .init(state, reason))
    }

    private static func permutations(_ all: [CommerceFact]) -> [[CommerceFact]] {
        if all.count < 2 { return [all] }
        return all.indices.flatMap { index in
            var rest = all
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    @Test(
        arguments: [
            ([(.unknown, nil), (.refused, 4_000_097)], .accepted, .arrivedEarlier),
            ([(.unknown, nil), (.refused, 4_000_181)], .accepted, .arrivedEarlier),
            ([(.refused, 4_000_181)], .pendingAtApple, nil), ([(.refused, 4_000_097)], .failed, .refused),
            ([(.doubted, nil)], .queued, .doubted), ([(.unknown, nil)], .queued, .retrying),
            ([(nil, nil)], .sending, nil),
        ] as [([(CommerceAttempt.Result?, Int64?)], CommerceRequestState, CommerceStateReason?)])
    func `a refusal of a repeat may be the yes to the call before it`(
        attempts: [(CommerceAttempt.Result?, Int64?)], state: CommerceRequestState, reason: CommerceStateReason?
    ) {
        let request = CommerceProgress(
            kind: .refund, skus: ["a"],
            attempts: attempts.enumerated().map { index, attempt in
                CommerceAttempt(number: index + 1, startedAt: Self.now, result: attempt.0, code: attempt.1)
            })
        #expect(request.standing(at: Self.now) == .init(state, reason))
    }
}

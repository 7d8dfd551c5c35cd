import Testing
import Time

@testable import Simulator

@Suite struct `Chance and what hangs on it` {
    @Test func `a seed repeats every stream, another seed does not`() {
        func draws(_ seed: UInt64, _ subject: String) -> [UInt64] {
            var stream = Chance(seed: seed).stream("decision", subject)
            return (0..<5).map { _ in stream.next() }
        }
        #expect(draws(7, "a") == draws(7, "a"))
        #expect(draws(7, "a") != draws(7, "b"))
        #expect(draws(7, "a") != draws(8, "a"))
    }

    @Test func `UUIDs are of version 4 and no two are alike`() {
        var stream = Chance(seed: 1).stream("uuid")
        let uuids = (0..<1000).map { _ in stream.uuid() }
        #expect(Set(uuids).count == 1000)
        for uuid in uuids {
            let characters = Array(uuid)
            #expect(isUUID(uuid) && characters[14] == "4" && "89ab".contains(characters[19]))
        }
    }

    @Test func `calm draws no mischief, and Apple as ever draws some of each kind`() {
        var kinds = Set<String>()
        for number in 0..<500 {
            var calm = Chance(seed: 3).stream("mischief", "\(number)")
            #expect(Mischief.draw(.calm, Pace(), chance: &calm).remarks.isEmpty)
            var stream = Chance(seed: 3).stream("mischief", "\(number)")
            let mischief = Mischief.draw(.asEver, Pace(), chance: &stream)
            if mischief.delay > 0 { kinds.insert("late") }
            if mischief.copyAfter != nil { kinds.insert("twice") }
            if mischief.isHeld { kinds.insert("held") }
        }
        #expect(kinds == ["late", "twice", "held"])
    }

    @Test func `switching one habit off changes no other's fate`() {
        var manners = Manners.asEver
        manners.lateness = false
        for number in 0..<200 {
            var one = Chance(seed: 3).stream("mischief", "\(number)")
            var two = Chance(seed: 3).stream("mischief", "\(number)")
            let all = Mischief.draw(.asEver, Pace(), chance: &one)
            let some = Mischief.draw(manners, Pace(), chance: &two)
            #expect(all.copyAfter == some.copyAfter && all.isHeld == some.isHeld && some.delay == 0)
        }
    }

    @Test func `troubles come, are of both kinds, and never more than two in a row`() {
        let troubles = Troubles()
        var inARow = 0
        var kinds = Set<String>()
        for _ in 0..<5000 {
            switch troubles.next("PUT /x", chance: Chance(seed: 11)) {
            case .rateLimited?: kinds.insert("429")
            case .internalError?: kinds.insert("500")
            case nil:
                inARow = 0
                continue
            }
            inARow += 1
            #expect(inARow <= Troubles.inARowMax)
        }
        #expect(kinds == ["429", "500"])
    }
}

@Suite struct `Decisions` {
    private static let now = Moment(milliseconds: 1_790_000_000_000)
    private static let consumable: JSONObject = ["type": "Consumable"]

    private func decide(
        _ answer: ConsumptionAnswer?, _ payload: JSONObject = consumable, wilful: Bool = false, subject: String = "1"
    ) -> Decision {
        var stream = Chance(seed: 5).stream("decision", subject)
        return Decision.make(
            answer: answer, payload: payload, environment: .production, isWilful: wilful, now: Self.now, chance: &stream
        )
    }

    @Test func `the preference decides where Apple is not wilful`() {
        var answer = ConsumptionAnswer(isDelivered: true, consumptionPercentage: 80_000, preference: .decline)
        #expect(decide(answer).outcome == .declined)
        answer.preference = .grantFull
        #expect(decide(answer).outcome == .refunded(type: "REFUND_FULL", percentage: 100_000))
        answer.preference = .grantProrated
        #expect(decide(answer).outcome == .refunded(type: "REFUND_PRORATED", percentage: 20_000))
        #expect(decide(nil).outcome == .refunded(type: "REFUND_FULL", percentage: 100_000))
    }

    @Test func `a prorated subscription gives back the share of the time that is left`() {
        let subscription: JSONObject = [
            "type": "Auto-Renewable Subscription", "purchaseDate": .int(Self.now.milliseconds - 10 * 86_400_000),
            "expiresDate": .int(Self.now.milliseconds + 30 * 86_400_000),
        ]
        let answer = ConsumptionAnswer(isDelivered: true, consumptionPercentage: nil, preference: .grantProrated)
        #expect(decide(answer, subscription).outcome == .refunded(type: "REFUND_PRORATED", percentage: 75_000))
        let ended = subscription.changed(by: ["expiresDate": .int(Self.now.milliseconds - 1)])
        #expect(decide(answer, ended).outcome == .refunded(type: "REFUND_PRORATED", percentage: 0))
    }

    @Test func `a wilful Apple sometimes does otherwise and sometimes undoes a refund`() {
        let answer = ConsumptionAnswer(isDelivered: true, consumptionPercentage: 0, preference: .grantFull)
        let decisions = (0..<300).map { decide(answer, wilful: true, subject: "\($0)") }
        #expect(decisions.contains { $0.outcome == .declined })
        #expect(decisions.contains { $0.isReversed })
        #expect(!decisions.contains { $0.isReversed && $0.outcome == .declined })
    }

    @Test
    func `an ordinary refund shows at the top, an Advanced Commerce one at its items, and a reversal leaves no trace`()
        throws
    {
        var plain = StoreTransaction(payload: Self.consumable, orderID: "1", environment: .production)
        Revocation.refund(
            &plain, type: "REFUND_PRORATED", percentage: 20_000, reason: 1, refundReason: "OTHER", at: Self.now)
        #expect(plain.payload["revocationType"] == "REFUND_PRORATED" && plain.payload["revocationPercentage"] == 20_000)
        #expect(plain.payload["revocationReason"] == 1)
        Revocation.reverse(&plain)
        #expect(plain.payload == Self.consumable)

        let bought: JSONObject = [
            "type": "Consumable", "advancedCommerceInfo": ["items": [["SKU": "course.swift.101", "price": 4990]]],
        ]
        var commerce = StoreTransaction(payload: bought, orderID: "1", environment: .production)
        Revocation.refund(
            &commerce, type: "REFUND_FULL", percentage: 100_000, reason: 0, refundReason: "LEGAL", at: Self.now)
        #expect(commerce.payload["revocationType"] == nil && commerce.payload["revocationPercentage"] == nil)
        let item = try #require(commerce.payload["advancedCommerceInfo"]?["items"]?.array?.first)
        #expect(item["refunds"]?.array?.first?["refundAmount"] == 4990)
        #expect(item["refunds"]?.array?.first?["refundReason"] == "LEGAL")
        Revocation.reverse(&commerce)
        #expect(commerce.payload == bought)
    }
}

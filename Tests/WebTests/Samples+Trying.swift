import FoundationEssentials
import Refunds
import Time

@testable import Tenants
@testable import Web

/// What is tried and measured, for pages.
extension Samples {
    static let overrides = [
        CustomerOverride(
            id: id(950), customer: "7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e21", action: .decline,
            reason: "Asks after each level <b>", author: PersonID(rawValue: id(1)), authorName: "sam@alpha.example",
            madeAt: signed, until: now + .days(30)),
        CustomerOverride(
            id: id(951), customer: "user-123", action: .hold, reason: "A friend of the house.",
            author: PersonID(rawValue: id(1)), authorName: "sam@alpha.example", madeAt: signed - .days(60),
            until: signed - .days(1)),
    ]

    static let outcomes = Outcomes(
        cells: [
            .init(state: .answered, told: .decline, outcome: .declined, reason: "OTHER", cases: 120),
            .init(state: .answered, told: .decline, outcome: .refunded, reason: nil, cases: 30),
            .init(state: .answered, told: .refundInFull, outcome: .refunded, reason: "LEGAL", cases: 7),
            .init(state: .withheld, stateReason: "no-consent", outcome: .refunded, reason: "OTHER", cases: 43),
            .init(state: .missed, stateReason: "apple-unavailable", outcome: .pending, reason: "OTHER", cases: 1),
        ], moneyWithoutConsent: ["EUR": 429_570, "JPY": 12_000_000], medianToAnswer: .milliseconds(740),
        nineInTenToAnswer: .minutes(4),
        months: [
            .init(month: "2026-06", bought: 1200, refunded: 31), .init(month: "2026-05", bought: 12, refunded: 1),
        ],
        products: [
            .init(
                app: alpha.id, product: "coins.100", refunds: 31, prices: ["USD": 309_690], costs: ["EUR": 27_900],
                usesKnown: 20, hasCostByUse: true),
            .init(
                app: alpha.id, product: "<pro>.yearly", refunds: 2, prices: ["EUR": 99_980], costs: nil, usesKnown: 0,
                hasCostByUse: false),
        ], isCutOff: true)

    static let trials = DecidingDesk.Trials(
        replays: [], shadow: nil, comparison: nil,
        holdOut: HoldOutEffect(
            share: 10, changedAt: signed,
            lines: [
                .init(preference: .decline, told: .init(hits: 56, of: 70), heldOut: .init(hits: 48, of: 80)),
                .init(preference: .refundInFull, told: .init(hits: 3, of: 4), heldOut: .init(hits: 0, of: 1)),
            ], isCutOff: false))
}

import AppStore
import Testing
import Time

@testable import Refunds

/// A consumable, consent given, use and delivery reported: valid until a test spoils one thing.
func purchase(_ change: (inout PurchaseFacts) -> Void = { _ in }) -> PurchaseFacts {
    var facts = PurchaseFacts(
        type: Known("Consumable"), reason: Known("OTHER"), requestSignedAt: noon,
        consent: .given(at: noon - .days(1), changeNo: 1),
        delivery: Evidence(.delivered, .reported(observedAt: noon)),
        share: Evidence(50_000, .reported(observedAt: noon)))
    change(&facts)
    return facts
}

@Suite("The default policy")
struct PolicyTests {
    struct Situation: Sendable, CustomTestStringConvertible {
        let name: String
        let facts: PurchaseFacts
        let row: Int?
        let preference: Decision.Preference?
        let withheld: Withholding?
        var testDescription: String { name }

        init(
            _ name: String, row: Int?, _ preference: Decision.Preference? = nil, withheld: Withholding? = nil,
            _ change: (inout PurchaseFacts) -> Void
        ) {
            self.name = name
            self.facts = purchase(change)
            self.row = row
            self.preference = preference
            self.withheld = withheld
        }
    }

    static func used(_ share: Int) -> Evidence<Int> { Evidence(share, .reported(observedAt: noon)) }

    static let situations: [Situation] = [
        Situation("1: failed delivery", row: 1, .grantFull) {
            $0.delivery = Evidence(.undeliveredOther, .reported(observedAt: noon))
        },
        Situation("1 before 2 and 7", row: 1, .grantFull) {
            $0.delivery = Evidence(.undeliveredWrongItem, .reported(observedAt: noon))
            $0.reason = Known("LEGAL")
            $0.share = used(100_000)
        },
        Situation("2: legal ground", row: 2, .grantFull) { $0.reason = Known("LEGAL") },
        Situation("2: the setting is enough for it", row: 2, .grantFull) {
            $0.reason = Known("LEGAL")
            $0.delivery = nil
        },
        Situation("2 before 7", row: 2, .grantFull) {
            $0.reason = Known("LEGAL")
            $0.share = used(100_000)
        },
        Situation("3: not fulfilled, and delivery not reported", row: 3, withheld: .deliveryUnreported) {
            $0.reason = Known("FULFILLMENT_ISSUE")
            $0.delivery = nil
        },
        Situation("3 before 4", row: 3, withheld: .deliveryUnreported) {
            $0.reason = Known("FULFILLMENT_ISSUE")
            $0.delivery = nil
            $0.share = nil
        },
        Situation("4: use unknown", row: 4) { $0.share = nil },
        Situation("4: also when not fulfilled", row: 4) {
            $0.reason = Known("FULFILLMENT_ISSUE")
            $0.share = nil
        },
        Situation("5: not fulfilled, not used", row: 5, .grantFull) {
            $0.reason = Known("FULFILLMENT_ISSUE")
            $0.share = used(0)
        },
        Situation("5: unintended, not used", row: 5, .grantFull) {
            $0.reason = Known("UNINTENDED_PURCHASE")
            $0.share = used(0)
        },
        Situation("6: not fulfilled, used in part", row: 6) { $0.reason = Known("FULFILLMENT_ISSUE") },
        Situation("7: used up", row: 7, .decline) { $0.share = used(100_000) },
        Situation("7: also when not fulfilled", row: 7, .decline) {
            $0.reason = Known("FULFILLMENT_ISSUE")
            $0.share = used(100_000)
        },
        Situation("8: the least part", row: 8, .grantProrated) { $0.share = used(1) },
        Situation("8: the greatest part", row: 8, .grantProrated) { $0.share = used(99_999) },
        Situation("8: unintended, used in part", row: 8, .grantProrated) { $0.reason = Known("UNINTENDED_PURCHASE") },
        Situation("8: a reason nobody knew yet", row: 8, .grantProrated) { $0.reason = Known("SOMETHING_NEW") },
        Situation("8: no reason given", row: 8, .grantProrated) { $0.reason = nil },
        Situation("9: not used", row: 9) { $0.share = used(0) },
        Situation("9: dissatisfied, not used", row: 9) {
            $0.reason = Known("UNSATISFIED_WITH_PURCHASE")
            $0.share = used(0)
        },
        Situation("no consent", row: nil, withheld: .noConsent) { $0.consent = .missing },
        Situation("consent given after the request", row: nil, withheld: .noConsent) {
            $0.consent = .tooLate(givenAt: noon + .seconds(1))
        },
        Situation("consent withdrawn", row: nil, withheld: .noConsent) { $0.consent = .withdrawn(at: noon) },
        Situation("no consent, legal ground", row: nil, withheld: .noConsent) {
            $0.consent = .missing
            $0.reason = Known("LEGAL")
        },
        Situation("a family member's copy", row: nil, withheld: .familyShared) {
            $0.ownership = Known("FAMILY_SHARED")
        },
        Situation("a family member's copy without consent", row: nil, withheld: .familyShared) {
            $0.ownership = Known("FAMILY_SHARED")
            $0.consent = .missing
        },
        Situation("an assigned seat", row: nil, withheld: .familyShared) { $0.ownership = Known("ASSIGNED") },
        Situation("delivery unreported, and the app does not speak for it", row: nil, withheld: .deliveryUnreported) {
            $0.delivery = nil
            $0.unreportedDelivery = nil
        },
        Situation("reported delivery, though the app does not speak for unreported", row: 8, .grantProrated) {
            $0.unreportedDelivery = nil
        },
    ]

    @Test(arguments: situations) func `the first row that fits decides`(situation: Situation) {
        let decision = Policy.standard.decide(situation.facts)
        #expect(decision.row == situation.row)
        #expect(decision.preference == situation.preference)
        #expect(decision.withheld == situation.withheld)
    }

    @Test func `a decision keeps the values it saw, with their source and time`() {
        let decision = Policy.standard.decide(purchase { $0.delivery = nil })
        let saw = Dictionary(uniqueKeysWithValues: decision.saw.map { ($0.name, $0) })
        #expect(saw["deliveryStatus"]?.value == "DELIVERED")
        #expect(saw["deliveryStatus"]?.source == "by the app's setting")
        #expect(saw["deliveryStatus"]?.at == nil)
        #expect(saw["sampleContentProvided"]?.source == "by the app's setting")
        #expect(saw["consumptionPercentage"]?.value == "50000")
        #expect(saw["consumptionPercentage"]?.source == "reported by the app's server")
        #expect(saw["consumptionPercentage"]?.at == noon)
        #expect(saw["consent"]?.at == noon - .days(1))
        #expect(saw["consumptionRequestReason"]?.value == "OTHER")
    }

    @Test func `the rows are numbered as people cite them`() {
        #expect(Policy.standard.rules.map(\.number) == Array(1...9))
    }
}

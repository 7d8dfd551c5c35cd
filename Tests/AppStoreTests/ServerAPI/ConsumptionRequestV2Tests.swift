import AppStore
import Testing

@Suite struct `Consumption request, version 2` {
    typealias Delivery = ConsumptionFacts.DeliveryStatus
    typealias Preference = ConsumptionFacts.RefundPreference

    static let percentages: [Int32?] = [nil, -1, 0, 1, 50_000, 99_999, 100_000, 100_001]
    static let preferences: [Preference?] = [nil] + Preference.allCases

    static func text(_ request: ConsumptionRequestV2) -> String { String(decoding: request.bytes, as: UTF8.self) }

    @Test func `the smallest body is Apple's own`() {
        let request = ConsumptionRequestV2(
            customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false)
        #expect(
            Self.text(request)
                == #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#)
        #expect(request.violations(for: ConsumptionPurchase(isAutoRenewable: false)).isEmpty)
    }

    @Test func `BL-008: text values, five members, always in the same order`() {
        let request = ConsumptionRequestV2(
            ConsumptionFacts(
                customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true,
                consumptionPercentage: 45_200, refundPreference: .decline),
            purchase: ConsumptionPurchase(isAutoRenewable: false))
        #expect(
            Self.text(request)
                == #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"#
                + #""consumptionPercentage":45200,"refundPreference":"DECLINE"}"#)
    }

    @Test(arguments: [
        // An auto-renewable subscription never carries a percentage, whatever is known.
        (true, Delivery.delivered, Int32?.none, Int32?.none), (true, .delivered, 0, nil),
        (true, .delivered, 70_000, nil),
        (true, .undeliveredOther, 0, nil),
        // Elsewhere absent, 0 and a value are three different things.
        (false, .delivered, nil, nil), (false, .delivered, 0, 0), (false, .delivered, 70_000, 70_000),
        // What was not delivered is explicitly 0.
        (false, .undeliveredOther, nil, 0), (false, .undeliveredServerOutage, 70_000, 0),
    ])
    func `BL-009: absent, zero and a value stay apart`(
        isAutoRenewable: Bool, delivery: Delivery, known: Int32?, sent: Int32?
    ) {
        let request = ConsumptionRequestV2(
            ConsumptionFacts(
                customerConsented: true, deliveryStatus: delivery, sampleContentProvided: false,
                consumptionPercentage: known),
            purchase: ConsumptionPurchase(isAutoRenewable: isAutoRenewable))
        #expect(request.consumptionPercentage == sent)
        #expect(Self.text(request).contains("consumptionPercentage") == (sent != nil))
        if let sent { #expect(Self.text(request).contains("\"consumptionPercentage\":\(sent)}")) }
    }

    /// Apple's table of what may stand beside what, one row after the other, written apart from the code.
    static func mayBeSent(
        _ isAutoRenewable: Bool, _ delivery: Delivery, _ preference: Preference?, _ percentage: Int32?
    )
        -> Bool
    {
        switch (isAutoRenewable, delivery == .delivered, preference) {
        case (true, _, _): percentage == nil
        case (false, true, nil), (false, true, .decline), (false, true, .grantFull):
            percentage == nil || (0...100_000).contains(percentage!)
        case (false, true, .grantProrated): percentage != nil && (1...99_999).contains(percentage!)
        case (false, false, .grantProrated): false
        case (false, false, _): percentage == 0
        }
    }

    @Test(arguments: Delivery.allCases)
    func `every combination is judged as Apple's table says`(delivery: Delivery) {
        for isAutoRenewable in [true, false] {
            for preference in Self.preferences {
                for percentage in Self.percentages {
                    let request = ConsumptionRequestV2(
                        customerConsented: true, deliveryStatus: delivery, sampleContentProvided: false,
                        consumptionPercentage: percentage, refundPreference: preference)
                    let broken = request.violations(for: ConsumptionPurchase(isAutoRenewable: isAutoRenewable))
                    #expect(
                        broken.isEmpty == Self.mayBeSent(isAutoRenewable, delivery, preference, percentage),
                        "\(isAutoRenewable) \(String(describing: preference)) \(String(describing: percentage)): \(broken)"
                    )
                    #expect(Set(broken).count == broken.count)
                }
            }
        }
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let rule: ConsumptionViolation
        var consent = true
        var delivery = Delivery.delivered
        var percentage: Int32?
        var preference: Preference?
        var purchase = ConsumptionPurchase(isAutoRenewable: false)
        var testDescription: String { rule.rawValue }
    }

    @Test(arguments: [
        Broken(rule: .notConsented, consent: false),
        Broken(rule: .familyShared, purchase: .init(isAutoRenewable: false, isFamilyShared: true)),
        Broken(rule: .advancedCommerceNeedsV1, purchase: .init(isAutoRenewable: false, isAdvancedCommerce: true)),
        Broken(rule: .percentageOutOfRange, percentage: 100_001), Broken(rule: .percentageOutOfRange, percentage: -1),
        Broken(rule: .percentageForAutoRenewable, percentage: 0, purchase: .init(isAutoRenewable: true)),
        Broken(rule: .undeliveredNeedsZero, delivery: .undeliveredWrongItem, percentage: 1),
        Broken(rule: .undeliveredNeedsZero, delivery: .undeliveredQualityIssue),
        Broken(rule: .proratedNeedsUseInPart, preference: .grantProrated),
        Broken(rule: .proratedNeedsUseInPart, percentage: 0, preference: .grantProrated),
        Broken(rule: .proratedNeedsUseInPart, percentage: 100_000, preference: .grantProrated),
        Broken(
            rule: .undeliveredCannotBeProrated, delivery: .undeliveredOther, percentage: 0, preference: .grantProrated),
    ])
    func `one broken rule is named alone`(case broken: Broken) {
        let request = ConsumptionRequestV2(
            customerConsented: broken.consent, deliveryStatus: broken.delivery, sampleContentProvided: false,
            consumptionPercentage: broken.percentage, refundPreference: broken.preference)
        #expect(request.violations(for: broken.purchase) == [broken.rule])
        #expect(!broken.rule.text.isEmpty)
    }
}

/// The body of Send Consumption Information, version 1: twelve members, all numbers but three.
///
/// Apple takes it for purchases made with the Advanced Commerce API. 0 means "not declared", but for
/// `deliveryStatus`, where it means delivered. What we do not know about a customer's account is not declared.
/// Source: App Store Server API, ConsumptionRequestV1 (read 2026-08).
package struct ConsumptionRequestV1: Sendable, Equatable {
    package enum ConsumptionStatus: Int, Sendable, CaseIterable {
        case undeclared = 0, notConsumed, partiallyConsumed, fullyConsumed
    }
    package enum DeliveryStatus: Int, Sendable, CaseIterable {
        case delivered = 0, qualityIssue, wrongItem, serverOutage, inGameCurrencyChange, other
    }
    package enum RefundPreference: Int, Sendable, CaseIterable {
        case undeclared = 0, preferGrant, preferDecline, noPreference
    }

    package let customerConsented: Bool
    package let consumptionStatus: ConsumptionStatus
    package let sampleContentProvided: Bool
    package let deliveryStatus: DeliveryStatus
    /// A UUID as the transaction has it, or empty.
    package let appAccountToken: String
    package let refundPreference: RefundPreference?

    /// - Parameter appAccountToken: the transaction's; what is no UUID becomes the empty text, which is all that
    ///   Apple takes beside one.
    package init(_ facts: ConsumptionFacts, appAccountToken: String?) {
        customerConsented = facts.customerConsented
        sampleContentProvided = facts.sampleContentProvided
        consumptionStatus =
            switch facts.consumptionPercentage {
            case nil: .undeclared
            case .some(...0): .notConsumed
            case .some(1..<100_000): .partiallyConsumed
            case .some: .fullyConsumed
            }
        deliveryStatus =
            switch facts.deliveryStatus {
            case .delivered: .delivered
            case .undeliveredQualityIssue: .qualityIssue
            case .undeliveredWrongItem: .wrongItem
            case .undeliveredServerOutage: .serverOutage
            case .undeliveredOther: .other
            }
        refundPreference =
            switch facts.refundPreference {
            case .grantFull, .grantProrated: .preferGrant
            case .decline: .preferDecline
            case nil: nil
            }
        self.appAccountToken = appAccountToken.flatMap { Self.isUUID($0) ? $0 : nil } ?? ""
    }

    /// JSON with the members in this order: equal requests are equal bytes, in every release.
    package var bytes: [UInt8] {
        var json = "{\"customerConsented\":\(customerConsented),\"consumptionStatus\":\(consumptionStatus.rawValue)"
        json += ",\"platform\":0,\"sampleContentProvided\":\(sampleContentProvided)"
        json += ",\"deliveryStatus\":\(deliveryStatus.rawValue),\"appAccountToken\":\"\(appAccountToken)\""
        json += ",\"accountTenure\":0,\"playTime\":0,\"lifetimeDollarsPurchased\":0,\"lifetimeDollarsRefunded\":0"
        json += ",\"userStatus\":0"
        if let refundPreference { json += ",\"refundPreference\":\(refundPreference.rawValue)" }
        return Array((json + "}").utf8)
    }

    /// Every rule of Apple that this body breaks for this purchase; empty when it may be sent.
    package func violations(for purchase: ConsumptionPurchase) -> [ConsumptionViolation] {
        var broken: [ConsumptionViolation] = []
        if !purchase.isAdvancedCommerce { broken.append(.ordinaryPurchaseNeedsV2) }
        if purchase.isFamilyShared { broken.append(.familyShared) }
        if !customerConsented { broken.append(.notConsented) }
        return broken
    }

    /// Eight, four, four, four and twelve hexadecimal digits with hyphens, in either case.
    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == 0x2D
            default:
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                default: false
                }
            }
        }
    }
}

/// The body of Send Consumption Information, version 2: five members, two of them optional.
package struct ConsumptionRequestV2: Sendable, Equatable {
    package let customerConsented: Bool
    package let deliveryStatus: ConsumptionFacts.DeliveryStatus
    package let sampleContentProvided: Bool
    package let consumptionPercentage: Int32?
    package let refundPreference: ConsumptionFacts.RefundPreference?

    /// The facts as they are: whether Apple takes them is said by `violations`.
    package init(
        customerConsented: Bool, deliveryStatus: ConsumptionFacts.DeliveryStatus, sampleContentProvided: Bool,
        consumptionPercentage: Int32? = nil, refundPreference: ConsumptionFacts.RefundPreference? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumptionPercentage = consumptionPercentage
        self.refundPreference = refundPreference
    }

    /// The facts under Apple's rules for the percentage.
    ///
    /// Left out for an auto-renewable subscription, whose use Apple computes itself; an explicit 0 for what
    /// was not delivered, whatever was reported as used.
    package init(_ facts: ConsumptionFacts, purchase: ConsumptionPurchase) {
        self.init(
            customerConsented: facts.customerConsented, deliveryStatus: facts.deliveryStatus,
            sampleContentProvided: facts.sampleContentProvided,
            consumptionPercentage: purchase.isAutoRenewable
                ? nil : facts.deliveryStatus.isDelivered ? facts.consumptionPercentage : 0,
            refundPreference: facts.refundPreference)
    }

    /// JSON with the members in this order: equal requests are equal bytes, in every release.
    package var bytes: [UInt8] {
        var json = "{\"customerConsented\":\(customerConsented),\"deliveryStatus\":\"\(deliveryStatus.rawValue)\""
        json += ",\"sampleContentProvided\":\(sampleContentProvided)"
        if let consumptionPercentage { json += ",\"consumptionPercentage\":\(consumptionPercentage)" }
        if let refundPreference { json += ",\"refundPreference\":\"\(refundPreference.rawValue)\"" }
        return Array((json + "}").utf8)
    }

    /// Every rule of Apple that this body breaks for this purchase; empty when it may be sent.
    package func violations(for purchase: ConsumptionPurchase) -> [ConsumptionViolation] {
        var broken: [ConsumptionViolation] = []
        if purchase.isAdvancedCommerce { broken.append(.advancedCommerceNeedsV1) }
        if purchase.isFamilyShared { broken.append(.familyShared) }
        if !customerConsented { broken.append(.notConsented) }
        if let consumptionPercentage, !(0...100_000).contains(consumptionPercentage) {
            broken.append(.percentageOutOfRange)
        }
        if purchase.isAutoRenewable {
            if consumptionPercentage != nil { broken.append(.percentageForAutoRenewable) }
            return broken
        }
        if !deliveryStatus.isDelivered && consumptionPercentage != 0 { broken.append(.undeliveredNeedsZero) }
        if refundPreference == .grantProrated {
            if !deliveryStatus.isDelivered {
                broken.append(.undeliveredCannotBeProrated)
            } else if !(consumptionPercentage.map { (1...99_999).contains($0) } ?? false) {
                broken.append(.proratedNeedsUseInPart)
            }
        }
        return broken
    }
}

package import AppStore

/// The body of a reply, made from a decision under Apple's rules, and what a person should know of it.
package struct ConsumptionReply: Sendable, Hashable {
    package let version: AppStoreServerAPI.ConsumptionVersion
    /// Committed before the first call and never changed.
    package let body: [UInt8]
    /// Where the body says something else than what was decided or reported, and why.
    package let remarks: [String]

    /// The body of a decision that nobody can be asked about any more: a preference that Apple's rules forbid here is
    /// left out of both.
    ///
    /// - Throws: as `init`.
    static func lawful(_ decision: inout Decision, for facts: PurchaseFacts) throws(ConsumptionViolation)
        -> ConsumptionReply
    {
        do { return try ConsumptionReply(decision, for: facts) } catch {
            switch error {
            case .proratedNeedsUseInPart, .undeliveredCannotBeProrated:
                decision = decision.withoutPreference("refundPreference is left out: \(error.text).")
                return try ConsumptionReply(decision, for: facts)
            case .notConsented, .familyShared, .advancedCommerceNeedsV1, .ordinaryPurchaseNeedsV2,
                .percentageOutOfRange, .percentageForAutoRenewable, .undeliveredNeedsZero:
                throw error
            }
        }
    }

    /// Builds the body. Pure.
    ///
    /// - Throws: a rule of Apple that the body would break. No decision of the policy does.
    package init(_ decision: Decision, for facts: PurchaseFacts) throws(ConsumptionViolation) {
        // A decision to send exists only where something can be said of the delivery.
        guard decision.withheld == nil, let delivery = facts.effectiveDelivery else { throw .notConsented }
        var remarks: [String] = []
        var share = facts.share.map { Int32(clamping: $0.value) }
        var preference = decision.preference
        let isAutoRenewable = facts.type?.known == .autoRenewableSubscription
        if !delivery.value.isDelivered, let reported = share, reported != 0 {
            share = 0
            remarks.append(
                "consumptionPercentage \(reported) was reported beside \(delivery.value.rawValue): what was not delivered is sent as 0."
            )
        }
        if isAutoRenewable, share != nil, !facts.isAdvancedCommerce {
            remarks.append(
                "consumptionPercentage is left out: Apple computes the use of an auto-renewable subscription.")
        }
        if facts.type?.known == nil, !facts.isAdvancedCommerce {
            // Some types forbid the percentage and others ask for it with GRANT_PRORATED: of a type we
            // do not know neither is said.
            if share != nil, delivery.value.isDelivered {
                share = nil
                remarks.append("consumptionPercentage is left out: the product's type is not known.")
            }
            if preference == .grantProrated {
                preference = nil
                remarks.append("refundPreference is left out: the product's type is not known.")
            }
        }
        let said = ConsumptionFacts(
            customerConsented: facts.consent.stands, deliveryStatus: delivery.value,
            sampleContentProvided: facts.sampleContent.value, consumptionPercentage: share,
            refundPreference: preference)
        let purchase = ConsumptionPurchase(
            isAutoRenewable: isAutoRenewable, isFamilyShared: facts.ownership?.known == .familyShared,
            isAdvancedCommerce: facts.isAdvancedCommerce)
        version = purchase.version
        switch purchase.version {
        case .v1:
            let request = ConsumptionRequestV1(said, appAccountToken: facts.appAccountToken)
            if let broken = request.violations(for: purchase).first { throw broken }
            body = request.bytes
        case .v2:
            let request = ConsumptionRequestV2(said, purchase: purchase)
            if let broken = request.violations(for: purchase).first { throw broken }
            body = request.bytes
        }
        self.remarks = remarks
    }
}

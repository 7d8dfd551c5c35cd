/// What a consumption reply says, in the words of version 2, from which both versions' bodies are made.
package struct ConsumptionFacts: Sendable, Equatable {
    package var customerConsented: Bool
    package var deliveryStatus: DeliveryStatus
    package var sampleContentProvided: Bool
    /// How much of the purchase was used: milliunits of percent, 0…100000; nil when unknown. 0 and nil differ.
    package var consumptionPercentage: Int32?
    package var refundPreference: RefundPreference?

    package init(
        customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
        consumptionPercentage: Int32? = nil, refundPreference: RefundPreference? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumptionPercentage = consumptionPercentage
        self.refundPreference = refundPreference
    }

    /// Apple's words of version 2.
    package enum DeliveryStatus: String, Sendable, CaseIterable {
        case delivered = "DELIVERED"
        case undeliveredQualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        case undeliveredWrongItem = "UNDELIVERED_WRONG_ITEM"
        case undeliveredServerOutage = "UNDELIVERED_SERVER_OUTAGE"
        case undeliveredOther = "UNDELIVERED_OTHER"

        package var isDelivered: Bool { self == .delivered }
    }

    /// Apple's words of version 2, which has none for "no preference": that is said by leaving it out.
    package enum RefundPreference: String, Sendable, CaseIterable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }
}

/// What of a purchase decides which reply Apple takes.
package struct ConsumptionPurchase: Sendable, Equatable {
    /// `type` is `Auto-Renewable Subscription`.
    package var isAutoRenewable: Bool
    /// `inAppOwnershipType` is `FAMILY_SHARED`.
    package var isFamilyShared: Bool
    /// The transaction holds `advancedCommerceInfo`.
    package var isAdvancedCommerce: Bool

    package init(isAutoRenewable: Bool, isFamilyShared: Bool = false, isAdvancedCommerce: Bool = false) {
        self.isAutoRenewable = isAutoRenewable
        self.isFamilyShared = isFamilyShared
        self.isAdvancedCommerce = isAdvancedCommerce
    }

    /// Version 1 for purchases made with the Advanced Commerce API, version 2 for all others.
    package var version: AppStoreServerAPI.ConsumptionVersion { isAdvancedCommerce ? .v1 : .v2 }
}

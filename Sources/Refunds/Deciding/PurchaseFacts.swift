package import AppStore
package import Time

/// What is known of a disputed purchase and its use when its request is decided.
package struct PurchaseFacts: Sendable, Hashable {
    /// Nil where Apple did not say.
    package var type: Known<ProductType>?
    package var ownership: Known<OwnershipType>?
    /// Bought with the Advanced Commerce API: answered by version 1 of the call.
    package var isAdvancedCommerce: Bool
    /// The app's own word for its customer, as written; often but not always a UUID.
    package var appAccountToken: String?
    /// What the customer claims, not a finding.
    package var reason: Known<ConsumptionRequestReason>?
    package var requestSignedAt: Moment
    package var consent: ConsentStanding
    /// What the app's server reported of the delivery; nil: nothing.
    package var delivery: Evidence<DeliveryStatus>?
    /// How much is used up, in thousandths of a percent, 0…100,000; nil: unknown.
    package var share: Evidence<Int>?
    package var sampleContent: Evidence<Bool>
    /// What to say of the delivery where nothing was reported; nil: say nothing, and send nothing.
    package var unreportedDelivery: DeliveryStatus?
    /// We asked Apple for this refund ourselves.
    package var isOwnRequest: Bool
    /// What else is known of the purchase and its buyer.
    package var circumstances: Circumstances
    /// What somebody fixed for the customer; nil: rules decide.
    package var override: CustomerOverride?
    /// Whether a lot keeps the rules' preference back; nil: no lot is drawn.
    package var isHeldOut: Bool?

    package init(
        type: Known<ProductType>?, ownership: Known<OwnershipType>? = Known("PURCHASED"),
        isAdvancedCommerce: Bool = false,
        appAccountToken: String? = nil, reason: Known<ConsumptionRequestReason>? = nil, requestSignedAt: Moment,
        consent: ConsentStanding,
        delivery: Evidence<DeliveryStatus>? = nil, share: Evidence<Int>? = nil,
        sampleContent: Evidence<Bool> = Evidence(false, .setting), unreportedDelivery: DeliveryStatus? = .delivered,
        isOwnRequest: Bool = false, circumstances: Circumstances = Circumstances()
    ) {
        self.type = type
        self.ownership = ownership
        self.isAdvancedCommerce = isAdvancedCommerce
        self.appAccountToken = appAccountToken
        self.reason = reason
        self.requestSignedAt = requestSignedAt
        self.consent = consent
        self.delivery = delivery
        self.share = share
        self.sampleContent = sampleContent
        self.unreportedDelivery = unreportedDelivery
        self.isOwnRequest = isOwnRequest
        self.circumstances = circumstances
    }

    /// What the reply says of the delivery: what was reported, else what the setting says.
    package var effectiveDelivery: Evidence<DeliveryStatus>? {
        delivery ?? unreportedDelivery.map { Evidence($0, .setting) }
    }

    /// How much is used, as the rules see it.
    package var use: Use {
        switch share?.value {
        case nil: .unknown
        case let share? where share <= 0: .notAtAll
        case let share? where share >= 100_000: .usedUp
        case .some: .inPart
        }
    }

    package enum Use: String, Sendable, Hashable, CaseIterable {
        case unknown
        case notAtAll = "not at all"
        case inPart = "in part"
        case usedUp = "used up"
    }
}

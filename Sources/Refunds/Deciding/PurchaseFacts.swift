package import Time

package import struct FoundationEssentials.UUID

/// What is known of a disputed purchase and its use when its request is decided.
package struct PurchaseFacts: Sendable, Hashable {
    package var type: ProductType
    package var ownership: Ownership
    /// Bought with the Advanced Commerce API: answered by version 1 of the call.
    package var isAdvancedCommerce: Bool
    /// Nil where the app never set one, or set something that is no UUID.
    package var appAccountToken: UUID?
    /// `consumptionRequestReason`, verbatim. What the customer claims, not a finding.
    package var reason: String?
    package var requestSignedAt: Moment
    package var consent: ConsentStanding
    /// What the app's server reported of the delivery; nil: nothing.
    package var delivery: Evidence<DeliveryStatus>?
    /// How much is used up, in thousandths of a percent, 0…100,000; nil: unknown.
    package var share: Evidence<Int>?
    package var sampleContent: Evidence<Bool>
    /// What to say of the delivery where nothing was reported; nil: say nothing, and send nothing.
    package var unreportedDelivery: DeliveryStatus?

    package init(
        type: ProductType, ownership: Ownership = .purchased, isAdvancedCommerce: Bool = false,
        appAccountToken: UUID? = nil, reason: String? = nil, requestSignedAt: Moment, consent: ConsentStanding,
        delivery: Evidence<DeliveryStatus>? = nil, share: Evidence<Int>? = nil,
        sampleContent: Evidence<Bool> = Evidence(false, .setting), unreportedDelivery: DeliveryStatus? = .delivered
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
    }

    /// The four product types, and whatever Apple adds.
    package enum ProductType: Sendable, Hashable {
        case consumable, nonConsumable, nonRenewing, autoRenewable
        /// A type we do not know, or none.
        case other(String?)

        package init(raw: String?) {
            switch raw {
            case "Consumable": self = .consumable
            case "Non-Consumable": self = .nonConsumable
            case "Non-Renewing Subscription": self = .nonRenewing
            case "Auto-Renewable Subscription": self = .autoRenewable
            default: self = .other(raw)
            }
        }

        package var text: String {
            switch self {
            case .consumable: "Consumable"
            case .nonConsumable: "Non-Consumable"
            case .nonRenewing: "Non-Renewing Subscription"
            case .autoRenewable: "Auto-Renewable Subscription"
            case .other(let raw): raw ?? "not given"
            }
        }
    }

    /// Who holds the purchase.
    package enum Ownership: Sendable, Hashable {
        case purchased, familyShared
        /// A seat of a business.
        case assigned
        case other(String?)

        package init(raw: String?) {
            switch raw {
            case "PURCHASED": self = .purchased
            case "FAMILY_SHARED": self = .familyShared
            case "ASSIGNED": self = .assigned
            default: self = .other(raw)
            }
        }
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

package import Tenants

/// Which of Apple's three calls is asked for.
package enum CommerceKind: String, Sendable, CaseIterable {
    /// Request Transaction Refund: money for items of one transaction.
    case refund
    /// Revoke Subscription: all items at once, money and access.
    case revoke
    /// Cancel a Subscription: no renewal any more, access to the end of the period, no money.
    case cancel
}

/// Why a refund is asked for, in Apple's words (`refundReason`).
package enum CommerceReason: String, Sendable, CaseIterable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
    case modifyItemsRefund = "MODIFY_ITEMS_REFUND"
    /// A test: Apple declines it. Sandbox only.
    case simulateRefundDecline = "SIMULATE_REFUND_DECLINE"
}

/// How much of the price, in Apple's words (`refundType`).
package enum CommerceRefundType: String, Sendable, CaseIterable {
    case full = "FULL"
    /// By the time that is left; Apple reckons it.
    case prorated = "PRORATED"
    /// An amount of our own.
    case custom = "CUSTOM"
}

/// One item of a refund.
package struct CommerceItem: Sendable, Hashable {
    package var sku: String
    package var refundReason: CommerceReason
    package var refundType: CommerceRefundType
    /// Milliunits of the currency; with `custom` only.
    package var refundAmount: Int64?
    /// Whether the item's access ends with the refund.
    package var revoke: Bool

    package init(
        sku: String, refundReason: CommerceReason, refundType: CommerceRefundType, refundAmount: Int64? = nil,
        revoke: Bool
    ) {
        self.sku = sku
        self.refundReason = refundReason
        self.refundType = refundType
        self.refundAmount = refundAmount
        self.revoke = revoke
    }
}

/// What a person or a caller wants of Apple, in full and before any check.
package struct CommerceIntention: Sendable, Hashable {
    package var kind: CommerceKind
    package var environment: AppEnvironment
    package var transactionID: String
    /// Of a refund; empty for the other kinds.
    package var items: [CommerceItem]
    /// Of a revocation.
    package var refundReason: CommerceReason?
    /// Of a revocation: full or prorated.
    package var refundType: CommerceRefundType?
    /// Whether Apple may ask us for consumption data; chosen each time, nil for a cancellation.
    package var refundRiskingPreference: Bool?
    /// ISO 3166-1 alpha-3.
    package var storefront: String?
    /// ISO 4217.
    package var currency: String?
    /// For our own records; never sent.
    package var note: String?

    package init(
        kind: CommerceKind, environment: AppEnvironment, transactionID: String, items: [CommerceItem] = [],
        refundReason: CommerceReason? = nil, refundType: CommerceRefundType? = nil,
        refundRiskingPreference: Bool? = nil, storefront: String? = nil, currency: String? = nil, note: String? = nil
    ) {
        self.kind = kind
        self.environment = environment
        self.transactionID = transactionID
        self.items = items
        self.refundReason = refundReason
        self.refundType = refundType
        self.refundRiskingPreference = refundRiskingPreference
        self.storefront = storefront
        self.currency = currency
        self.note = note
    }
}

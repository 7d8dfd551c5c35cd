package import FoundationEssentials
package import Tenants
package import Time

/// What is known of a purchase when a commerce request for it is made: what Apple signed, and what we asked before.
package struct CommercePurchase: Sendable, Hashable {
    /// One thing that was bought.
    package struct Item: Sendable, Hashable {
        package var sku: String
        package var displayName: String?
        /// Milliunits.
        package var price: Int64?
        package var refunds: [Refund]
        /// When this item's access ended.
        package var revokedAt: Moment?

        package init(
            sku: String, displayName: String? = nil, price: Int64? = nil, refunds: [Refund] = [],
            revokedAt: Moment? = nil
        ) {
            self.sku = sku
            self.displayName = displayName
            self.price = price
            self.refunds = refunds
            self.revokedAt = revokedAt
        }

        /// Milliunits that went back already; nil where Apple did not say how much.
        package var refunded: Int64? {
            var sum: Int64 = 0
            for refund in refunds {
                guard let amount = refund.amount, amount >= 0 else { return nil }
                let (new, isTooMuch) = sum.addingReportingOverflow(amount)
                if isTooMuch { return nil }
                sum = new
            }
            return sum
        }

        /// Milliunits that could still go back; nil: unknown.
        package var remaining: Int64? {
            guard let price, let refunded else { return nil }
            return max(0, price - refunded)
        }
    }

    package struct Refund: Sendable, Hashable {
        /// Milliunits.
        package var amount: Int64?
        package var at: Moment?
        /// As Apple wrote them.
        package var reason: String?
        package var type: String?

        package init(amount: Int64? = nil, at: Moment? = nil, reason: String? = nil, type: String? = nil) {
            self.amount = amount
            self.at = at
            self.reason = reason
            self.type = type
        }
    }

    /// A request of ours for the same purchase that is not over.
    package struct OpenRequest: Sendable, Hashable {
        package var id: UUID
        package var kind: CommerceKind
        package var transactionID: String
        package var state: CommerceRequestState
        package var skus: [String]

        package init(
            id: UUID, kind: CommerceKind, transactionID: String, state: CommerceRequestState, skus: [String] = []
        ) {
            self.id = id
            self.kind = kind
            self.transactionID = transactionID
            self.state = state
            self.skus = skus
        }
    }

    package var environment: AppEnvironment
    package var transactionID: String
    package var originalTransactionID: String
    /// Apple's generic product; what was bought stands in `items`.
    package var productID: String
    package var isSubscription: Bool
    package var isAdvancedCommerce: Bool
    package var isFamilyShared: Bool
    package var items: [Item]
    /// Milliunits, of the whole transaction.
    package var price: Int64?
    package var currency: String?
    package var storefront: String?
    package var purchasedAt: Moment?
    package var expiresAt: Moment?
    package var revokedAt: Moment?
    /// Nil: not known.
    package var autoRenews: Bool?
    package var renewsAt: Moment?
    /// Whether no later transaction of the same subscription is known.
    package var isLatest: Bool
    /// The case of this transaction, where there is one.
    package var caseID: UUID?
    /// The customer asked Apple on their own, and Apple has not decided as far as we know.
    package var hasPendingCustomerRequest: Bool
    package var openRequests: [OpenRequest]
    package var customer: String?
    /// When Apple signed what this was read from.
    package var signedAt: Moment?

    package init(
        environment: AppEnvironment, transactionID: String, originalTransactionID: String, productID: String = "",
        isSubscription: Bool, isAdvancedCommerce: Bool = true, isFamilyShared: Bool = false, items: [Item] = [],
        price: Int64? = nil, currency: String? = nil, storefront: String? = nil, purchasedAt: Moment? = nil,
        expiresAt: Moment? = nil, revokedAt: Moment? = nil, autoRenews: Bool? = nil, renewsAt: Moment? = nil,
        isLatest: Bool = true, caseID: UUID? = nil, hasPendingCustomerRequest: Bool = false,
        openRequests: [OpenRequest] = [], customer: String? = nil, signedAt: Moment? = nil
    ) {
        self.environment = environment
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.isSubscription = isSubscription
        self.isAdvancedCommerce = isAdvancedCommerce
        self.isFamilyShared = isFamilyShared
        self.items = items
        self.price = price
        self.currency = currency
        self.storefront = storefront
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.autoRenews = autoRenews
        self.renewsAt = renewsAt
        self.isLatest = isLatest
        self.caseID = caseID
        self.hasPendingCustomerRequest = hasPendingCustomerRequest
        self.openRequests = openRequests
        self.customer = customer
        self.signedAt = signedAt
    }

    package func item(_ sku: String) -> Item? { items.first { $0.sku == sku } }

    /// Items whose access has not ended.
    package var liveItems: [Item] { items.filter { $0.revokedAt == nil } }

    /// Whether a subscription runs at a moment; always false for what is none. A subscription whose end Apple did not
    /// sign counts as running: what is not known must not forbid a call that Apple may take.
    package func isActive(at moment: Moment) -> Bool {
        guard isSubscription, revokedAt == nil, items.isEmpty || !liveItems.isEmpty else { return false }
        return expiresAt.map { $0 > moment } ?? true
    }
}

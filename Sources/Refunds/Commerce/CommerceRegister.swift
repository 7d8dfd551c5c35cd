package import FoundationEssentials
package import Tenants
package import Time

/// Which requests and sales the register is about.
package struct RegisterFilter: Sendable, Hashable {
    package var apps: [AppID]
    /// Nil: whatever they call it, as for rehearsals.
    package var environment: AppEnvironment?
    package var from: Moment
    /// The first moment that no longer belongs to it.
    package var to: Moment

    package init(apps: [AppID], environment: AppEnvironment?, from: Moment, to: Moment) {
        self.apps = apps
        self.environment = environment
        self.from = from
        self.to = to
    }
}

/// What was asked for and what was sold.
///
/// A request counts once for each of its items, in the month in which it was asked for; drafts, requests that were taken
/// back, and cancellations, which give no money back, do not count. What Apple decided upon the customer's own request
/// counts as asked for, and as neither refunded nor declined: it is in the customer's case.
package struct RegisterTally: Sendable, Hashable {
    package var asked = 0
    /// Refunds that Apple made and did not take back.
    package var refunded = 0
    package var declined = 0
    package var failed = 0
    /// Sales known from notifications.
    package var sold = 0

    package init(asked: Int = 0, refunded: Int = 0, declined: Int = 0, failed: Int = 0, sold: Int = 0) {
        self.asked = asked
        self.refunded = refunded
        self.declined = declined
        self.failed = failed
        self.sold = sold
    }

    /// Refunds for each sale, in thousandths of a percent, rounded; nil where no sale is known.
    package var rate: Int? { sold > 0 ? (refunded * 100_000 + sold / 2) / sold : nil }
}

/// The register's totals and what they consist of.
package struct RegisterSummary: Sendable {
    package var total = RegisterTally()
    /// Milliunits by currency, as far as Apple signed amounts.
    package var refundedAmounts: [String: Int64] = [:]
    /// `2026-03` (UTC), newest first.
    package var months: [(month: String, tally: RegisterTally)] = []
    package var apps: [(app: AppID, tally: RegisterTally)] = []
    /// Set against all sales.
    package var reasons: [(reason: CommerceReason?, tally: RegisterTally)] = []

    package init() {}
}

/// What was asked and sold for one SKU, reason and month.
package struct RegisterLine: Sendable, Hashable {
    /// `2026-03`, UTC.
    package let month: String
    package let app: AppID
    package let sku: String
    /// Nil in lines of sales alone.
    package let reason: CommerceReason?
    /// Sales are those of SKU and month, whatever the reason.
    package let tally: RegisterTally
    /// Milliunits by currency, as far as Apple signed amounts.
    package let refundedAmounts: [String: Int64]

    package init(
        month: String, app: AppID, sku: String, reason: CommerceReason?, tally: RegisterTally,
        refundedAmounts: [String: Int64] = [:]
    ) {
        self.month = month
        self.app = app
        self.sku = sku
        self.reason = reason
        self.tally = tally
        self.refundedAmounts = refundedAmounts
    }
}

/// The place in the file of lines after which the next part begins.
package struct RegisterCursor: Sendable, Hashable {
    let month: String
    let app: Int64
    let sku: String
    let reason: String
}

/// One item of one request; of a revocation each item that was bought. A cancellation, and a revocation whose items are
/// not known, is one entry without a SKU.
package struct RegisterEntry: Sendable, Hashable {
    package let request: UUID
    package let app: AppID
    package let environment: AppEnvironment
    package let kind: CommerceKind
    package let state: CommerceRequestState
    package let stateReason: CommerceStateReason?
    package let transactionID: String
    package let productID: String
    package let askedAt: Moment
    package let sku: String?
    /// Nil in cancellations.
    package let reason: CommerceReason?
    package let type: CommerceRefundType?
    /// Milliunits; an amount of our own.
    package let amount: Int64?
    /// Milliunits; what the item, or all of them, had cost.
    package let price: Int64?
    package let currency: String?
    /// ISO 3166-1 alpha-3.
    package let storefront: String?
    package let revoke: Bool?
    /// Milliunits, as Apple signed it.
    package let refundedAmount: Int64?
    package let refundedAt: Moment?
    package let revokedAt: Moment?
    package let appleStatus: Int?
    package let appleCode: Int64?

    package init(
        request: UUID, app: AppID, environment: AppEnvironment, kind: CommerceKind, state: CommerceRequestState,
        stateReason: CommerceStateReason? = nil, transactionID: String, productID: String, askedAt: Moment,
        sku: String?, reason: CommerceReason?, type: CommerceRefundType?, amount: Int64? = nil, price: Int64? = nil,
        currency: String? = nil, storefront: String? = nil, revoke: Bool? = nil, refundedAmount: Int64? = nil,
        refundedAt: Moment? = nil, revokedAt: Moment? = nil, appleStatus: Int? = nil, appleCode: Int64? = nil
    ) {
        self.request = request
        self.app = app
        self.environment = environment
        self.kind = kind
        self.state = state
        self.stateReason = stateReason
        self.transactionID = transactionID
        self.productID = productID
        self.askedAt = askedAt
        self.sku = sku
        self.reason = reason
        self.type = type
        self.amount = amount
        self.price = price
        self.currency = currency
        self.storefront = storefront
        self.revoke = revoke
        self.refundedAmount = refundedAmount
        self.refundedAt = refundedAt
        self.revokedAt = revokedAt
        self.appleStatus = appleStatus
        self.appleCode = appleCode
    }
}

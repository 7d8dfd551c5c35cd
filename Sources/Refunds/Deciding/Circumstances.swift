package import AppStore
package import Time

extension PurchaseFacts {
    /// What is known of a purchase and its buyer beside its use: what rules may look at, and replies do not say.
    package struct Circumstances: Sendable, Hashable {
        package var product: String?
        /// In milliunits of `currency`, for the whole transaction.
        package var price: Int64?
        package var currency: String?
        /// Three letters.
        package var storefront: String?
        package var environment: Environment
        package var purchasedAt: Moment?
        /// The end of a subscription's period.
        package var expiresAt: Moment?
        package var offer: Known<OfferType>?
        package var isFreeTrial: Bool
        /// Whether the purchase carries the app's own word for its customer.
        package var isCustomerKnown: Bool
        /// Other purchases of the same customer about which Apple asked; nil: the customer is not known.
        package var earlierRequests: Int?
        /// Other purchases of the same customer that were refunded; nil: the customer is not known.
        package var earlierRefunds: Int?
        /// What the customer paid for other purchases that are held here, in milliunits by currency.
        package var spent: [String: Int64]?
        /// Until the deadline, when it is decided.
        package var timeLeft: Duration?
        /// Who the customer is where the purchase does not say so.
        package var match: CustomerMatch?

        package init(
            product: String? = nil, price: Int64? = nil, currency: String? = nil, storefront: String? = nil,
            environment: Environment = .production, purchasedAt: Moment? = nil, expiresAt: Moment? = nil,
            offer: Known<OfferType>? = nil, isFreeTrial: Bool = false, isCustomerKnown: Bool = false,
            earlierRequests: Int? = nil, earlierRefunds: Int? = nil, spent: [String: Int64]? = nil,
            timeLeft: Duration? = nil
        ) {
            self.product = product
            self.price = price
            self.currency = currency
            self.storefront = storefront
            self.environment = environment
            self.purchasedAt = purchasedAt
            self.expiresAt = expiresAt
            self.offer = offer
            self.isFreeTrial = isFreeTrial
            self.isCustomerKnown = isCustomerKnown
            self.earlierRequests = earlierRequests
            self.earlierRefunds = earlierRefunds
            self.spent = spent
            self.timeLeft = timeLeft
        }

        /// What was counted at the decision: it changes, so the case keeps it.
        var observations: [Decision.Observation] {
            let matched = match.map { [Decision.Observation("customer", $0.customer, source: $0.by.text)] } ?? []
            guard let earlierRequests, let earlierRefunds else { return matched }
            let own = "our own records"
            var seen: [Decision.Observation] =
                matched + [
                    .init("earlier requests", String(earlierRequests), source: own),
                    .init("earlier refunds", String(earlierRefunds), source: own),
                ]
            for (currency, amount) in (spent ?? [:]).sorted(by: { $0.key < $1.key }).prefix(5) {
                seen.append(.init("spent in \(currency)", CurrencyDecimals.text(amount, currency), source: own))
            }
            return seen
        }
    }
}

/// An Advanced Commerce purchase that is to be made.
package struct CommerceSale: Sendable {
    package struct Item: Sendable {
        package let sku: String
        package let displayName: String
        package let description: String
        /// Milliunits.
        package let price: Int64

        package init(sku: String, price: Int64, displayName: String? = nil, description: String = "") {
            self.sku = sku
            self.displayName = displayName ?? sku
            self.description = description
            self.price = price
        }
    }

    package var items: [Item]
    package var isSubscription: Bool
    /// ISO 3166-1 alpha-3; it settles the currency.
    package var storefront = "USA"
    /// Of a subscription: P1W, P1M, P2M, P3M, P6M or P1Y.
    package var period = "P1M"
    /// Of a subscription: how many periods were paid for before the present one, each a transaction of its own.
    package var earlierPeriods = 0
    /// How long ago the newest transaction was bought.
    package var age = Duration.seconds(86_400)
    package var isFamilyShared = false
    /// Of the newest transaction; nil draws one.
    package var transactionID: String?
    /// nil draws one; an empty text leaves it out.
    package var appAccountToken: String?
    package var consistencyToken: String?

    package init(_ items: [Item], isSubscription: Bool) {
        self.items = items
        self.isSubscription = isSubscription
    }

    /// Days by period (apple sheet 3.5).
    static let periodDays: [String: Int64] = ["P1W": 7, "P1M": 30, "P2M": 60, "P3M": 90, "P6M": 180, "P1Y": 365]
}

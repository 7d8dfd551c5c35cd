package import Time

/// What stands behind the order number of a customer's receipt.
package struct Order: Sendable {
    package let id: String
    /// In the order of Apple's answer; empty where Apple knows no such order of this app.
    package let purchases: [Purchase]

    package struct Purchase: Sendable {
        package let transactionID: String
        package let originalTransactionID: String
        package let productID: String
        package let price: Int64?
        package let currency: String?
        package let purchasedAt: Moment?
        package let revokedAt: Moment?
        /// The app's word for its customer.
        package let customer: String?
        /// The case about it, where there is one.
        package let line: CaseLine?

        package init(
            transactionID: String, originalTransactionID: String, productID: String, price: Int64? = nil,
            currency: String? = nil, purchasedAt: Moment? = nil, revokedAt: Moment? = nil, customer: String? = nil,
            line: CaseLine? = nil
        ) {
            self.transactionID = transactionID
            self.originalTransactionID = originalTransactionID
            self.productID = productID
            self.price = price
            self.currency = currency
            self.purchasedAt = purchasedAt
            self.revokedAt = revokedAt
            self.customer = customer
            self.line = line
        }
    }

    package init(id: String, purchases: [Purchase]) {
        self.id = id
        self.purchases = purchases
    }

    /// Bytes of an order number; Apple's have ten.
    package static let idBytesMax = 32

    /// As a person types or pastes it, without blanks and in capitals; nil for what is no order number.
    package static func read(_ text: String) -> String? {
        let id = text.filter { !$0.isWhitespace }.uppercased()
        guard (1...idBytesMax).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        return id
    }
}

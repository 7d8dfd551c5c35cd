package import Time

/// A purchase in the small App Store: the payload that is signed for it, and what belongs to it.
package struct StoreTransaction: Sendable {
    /// Every member of the transaction but `signedDate`, which each signing sets.
    package var payload: JSONObject
    /// The renewal information of an auto-renewable subscription, without `signedDate`.
    package var renewal: JSONObject?
    /// Customers are told apart by a name that no payload shows; all transactions of one share it.
    package var customer: String
    package var orderID: String
    /// Transactions of family members that share this purchase; nothing in a payload links them.
    package var familyCopies: [String] = []
    package let environment: StoreEnvironment
    /// The order of last changes, by which history sorts.
    package internal(set) var revision: Int64 = 0
    /// The first consumption information that was accepted since the newest request.
    package internal(set) var answer: ConsumptionAnswer?
    /// When the newest CONSUMPTION_REQUEST was signed; nil when none waits for a decision.
    package internal(set) var requestedAt: Moment?
    package internal(set) var requestReason: String?
    /// Whether the small Apple itself decides the waiting request.
    package internal(set) var isDecided = false

    package init(
        payload: JSONObject, renewal: JSONObject? = nil, customer: String? = nil, orderID: String,
        environment: StoreEnvironment
    ) {
        self.payload = payload
        self.renewal = renewal
        self.customer = customer ?? payload["originalTransactionId"]?.string ?? ""
        self.orderID = orderID
        self.environment = environment
    }

    package var id: String { payload["transactionId"]?.string ?? "" }
    package var bundleID: String { payload["bundleId"]?.string ?? "" }
    package var isAutoRenewable: Bool { payload["type"]?.string == "Auto-Renewable Subscription" }
    package var isRevoked: Bool { payload["revocationDate"] != nil }
}

/// What notification is wanted: made of what the small App Store knows, with changes on top.
package struct NotificationOrder: Sendable {
    package var type: String
    package var subtype: String?
    package var environment: StoreEnvironment
    package var bundleID: String
    /// An existing purchase; nil makes a new one of `productType`, for types that speak of a purchase.
    package var transactionID: String?
    /// The payload's spelling, such as `Consumable`.
    package var productType: String?
    /// `consumptionRequestReason`; only sent with CONSUMPTION_REQUEST.
    package var reason: String?
    /// Merge patches (RFC 7396) over what is made: a null removes a member.
    package var transaction: JSONObject = [:]
    package var renewal: JSONObject = [:]
    package var data: JSONObject = [:]
    package var payload: JSONObject = [:]
    /// Signed in place of the transaction, as it is.
    package var rawTransaction: JSON?
    /// Signed in place of the whole payload, as it is.
    package var rawPayload: JSON?
    /// Added to the time at which the payload says that it was signed.
    package var signedDateOffset: Duration = .zero
    package var notificationUUID: String?
    /// How often the same bytes are posted, one after the other.
    package var copies = 1
    /// nil: the address that the app has for the environment.
    package var url: String?
    /// Whether what it tells was done to the purchase already.
    var isBooked = false
    /// Whether Apple decides the request later; nil: as the manners say.
    package var decides: Bool?

    package init(
        _ type: String, subtype: String? = nil, environment: StoreEnvironment = .production, bundleID: String,
        transactionID: String? = nil, productType: String? = nil, reason: String? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.environment = environment
        self.bundleID = bundleID
        self.transactionID = transactionID
        self.productType = productType
        self.reason = reason
    }
}

/// Why an order cannot be carried out, for people.
package struct OrderFault: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

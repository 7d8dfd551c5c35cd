/// What is answered for `deliveryStatus` when neither backend nor product settings reported it.
package enum UnreportedDelivery: String, Hashable, Sendable, CaseIterable {
    /// Say DELIVERED, "by the app's setting".
    case delivered
    /// Send nothing.
    case withhold
}

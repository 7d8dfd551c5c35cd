/// What came with a delivery besides its body. Kept with refused deliveries only, as evidence of
/// where they came from; nobody may be believed for it.
package struct DeliveryMeta: Sendable, Hashable {
    package let userAgent: String?
    package let forwardedFor: String?
    /// The address of the connection.
    package let peer: String

    package init(userAgent: String?, forwardedFor: String?, peer: String) {
        self.userAgent = userAgent
        self.forwardedFor = forwardedFor
        self.peer = peer
    }
}

package import Time

/// One request that was accepted, and what became of it.
package struct CommerceRequest: Sendable {
    package enum State: String, Sendable {
        /// Accepted and not decided.
        case waiting
        case refunded
        case declined
        /// When it was decided nothing was left to refund.
        case overtaken
        /// Auto-renewal is off.
        case cancelled
    }

    package let requestReferenceID: String
    package let kind: CommerceKind
    package let environment: StoreEnvironment
    package let bundleID: String
    /// Of a revocation or cancellation: the latest transaction of the subscription.
    package let transactionID: String
    package let at: Moment
    let asked: CommerceAsked
    package internal(set) var state: State
    /// How many requests for the same transaction were accepted before it.
    var earlier = 0
    package internal(set) var decidedAt: Moment?
    /// When the CONSUMPTION_REQUEST that belongs to it was signed.
    package internal(set) var consumptionAskedAt: Moment?
    /// How often the same call came again.
    package internal(set) var repeats = 0
}

/// One refund of one item: the ledger's row.
package struct CommerceRefund: Sendable, Hashable {
    package let environment: StoreEnvironment
    package let bundleID: String
    package let transactionID: String
    package let sku: String
    package let requestReferenceID: String
    /// Milliunits.
    package let amount: Int64
    package let reason: String
    package let type: String
    package let isRevoked: Bool
    package let at: Moment
}

/// Where a commerce request stands. Stored and shown by its raw value.
package enum CommerceRequestState: String, Sendable, CaseIterable {
    /// Written down, not handed in.
    case draft
    /// A second person has to agree.
    case awaitingApproval = "awaiting-approval"
    /// Its turn comes.
    case queued
    /// A call is in flight.
    case sending
    /// Apple took the request: not a refund yet.
    case accepted
    /// A notification of Apple's says so.
    case refunded
    case declined
    /// Apple refused the call for good, or it was given up.
    case failed
    /// Apple has another refund of the transaction pending, usually the customer's own request.
    case pendingAtApple = "pending-at-apple"
    /// Taken back before anything was sent.
    case cancelled

    /// No call will begin any more.
    package var isOver: Bool {
        switch self {
        case .draft, .awaitingApproval, .queued, .sending: false
        case .accepted, .refunded, .declined, .failed, .pendingAtApple, .cancelled: true
        }
    }

    /// Something is under way: another request for the same money would be one too many.
    package var isUnderWay: Bool { !isOver || self == .accepted || self == .pendingAtApple }
}

/// The word beside the state, where there is more to say.
package enum CommerceStateReason: String, Sendable, CaseIterable {
    /// `queued`: Apple refused in a way that no table explains, perhaps because of the addendum; the queue stands.
    case doubted
    /// `queued`: the last call failed for now.
    case retrying
    /// `queued`: Apple does not accept the signing key.
    case credentials
    /// `accepted`, `refunded`: some of the items, not all.
    case partly
    /// `refunded`: and Apple took the refund back.
    case reversed
    /// `refunded`, `declined`: the customer's own request was decided.
    case customersRequest = "customers-request"
    /// `accepted`: no answer told so, but Apple's next one shows that the call had arrived.
    case arrivedEarlier = "arrived-earlier"
    /// `failed`: Apple's code stands beside it.
    case refused
    /// `failed`: given up, and Apple may have received it.
    case unknownResult = "unknown-result"
    /// `failed`: given up, and Apple certainly has not received it.
    case notReached = "not-reached"
}

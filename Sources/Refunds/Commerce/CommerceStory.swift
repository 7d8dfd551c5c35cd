package import Time

/// Everything about one commerce request, as its page tells it.
package struct CommerceStory: Sendable, Hashable {
    /// A place in the queue of an app and environment, counted from 1.
    package struct Turn: Sendable, Hashable {
        package let place: Int
        package let depth: Int

        package init(place: Int, depth: Int) {
            self.place = place
            self.depth = depth
        }
    }

    package let request: CommerceRequest
    /// What Apple signed about it, oldest first.
    package let facts: [CommerceFact]
    /// Nil unless it waits for its turn.
    package let turn: Turn?
    /// It waits for an approval that today's limits do not ask for any more.
    package let needsNobody: Bool
    /// Set: the queue stands since then, and somebody has to look.
    package let stoppedAt: Moment?
    /// The currency of the purchase; the request itself may name none.
    package let currency: String?
    /// The items of the purchase as they are called there, by SKU.
    package let names: [String: String]

    package init(
        request: CommerceRequest, facts: [CommerceFact] = [], turn: Turn? = nil, needsNobody: Bool = false,
        stoppedAt: Moment? = nil,
        currency: String? = nil, names: [String: String] = [:]
    ) {
        self.request = request
        self.facts = facts
        self.turn = turn
        self.needsNobody = needsNobody
        self.stoppedAt = stoppedAt
        self.currency = currency
        self.names = names
    }
}

extension CommerceRequest {
    /// Whether it may still be taken back: nothing has been sent of which Apple may know.
    package var mayBeTakenBack: Bool {
        switch state {
        case .draft, .awaitingApproval, .queued: !attempts.contains(where: \.mayHaveArrived)
        case .sending, .accepted, .refunded, .declined, .failed, .pendingAtApple, .cancelled: false
        }
    }
}

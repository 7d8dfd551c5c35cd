package import Time

/// One call of Send Consumption Information, begun or ended.
package struct Attempt: Sendable, Hashable {
    package enum Result: String, Sendable, CaseIterable {
        /// Any 2xx.
        case accepted
        /// Apple refused the reply for good.
        case refused
        /// Apple, or the way to Apple, failed for now.
        case retry
        /// 401: the key is not accepted.
        case credentials
        /// Sent, or half sent, and no answer: it may have been received.
        case unknown
        /// Begun, but never handed to the network.
        case notSent = "not-sent"
    }

    /// From 1.
    package let number: Int
    package let startedAt: Moment
    /// After this moment without an end, the result is unknown.
    package let giveUpAt: Moment
    package var endedAt: Moment?
    /// Nil while the call is in flight.
    package var result: Result?
    /// HTTP status, where there was an answer.
    package var status: Int?

    package init(
        number: Int, startedAt: Moment, giveUpAt: Moment, endedAt: Moment? = nil, result: Result? = nil,
        status: Int? = nil
    ) {
        self.number = number
        self.startedAt = startedAt
        self.giveUpAt = giveUpAt
        self.endedAt = endedAt
        self.result = result
        self.status = status
    }

    /// False only where it is certain that Apple did not take the call in: it was never sent, never
    /// connected, or turned away before it was read (401, 429).
    package var mayHaveArrived: Bool {
        switch result {
        case nil, .accepted, .refused, .unknown: true
        case .notSent, .credentials: false
        case .retry: status != nil && status != 429
        }
    }
}

package import Time

/// One call for a commerce request, begun or ended.
package struct CommerceAttempt: Sendable, Hashable {
    package enum Result: String, Sendable, CaseIterable {
        /// Any 2xx.
        case accepted
        /// Apple refused it for good; the code says why.
        case refused
        /// Refused in a way that no table explains: perhaps the addendum.
        case doubted
        /// Apple, or the way to Apple, failed for now.
        case retry
        /// A plain 401: the key is not accepted.
        case credentials
        /// Sent, or half sent, and no answer: it may have been received.
        case unknown
        /// Begun, but never handed to the network.
        case notSent = "not-sent"
    }

    /// From 1.
    package let number: Int
    package let startedAt: Moment
    package var endedAt: Moment?
    /// Nil while the call is in flight.
    package var result: Result?
    package var status: Int?
    package var code: Int64?
    /// Apple's words.
    package var message: String?
    /// Our words, where there was no answer.
    package var trouble: String?
    package var appleRequestID: String?
    /// After this moment without an end, the result is unknown.
    package var giveUpAt: Moment?

    package init(
        number: Int, startedAt: Moment, endedAt: Moment? = nil, result: Result? = nil, status: Int? = nil,
        code: Int64? = nil, message: String? = nil, trouble: String? = nil, appleRequestID: String? = nil,
        giveUpAt: Moment? = nil
    ) {
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.result = result
        self.status = status
        self.code = code
        self.message = message
        self.trouble = trouble
        self.appleRequestID = appleRequestID
        self.giveUpAt = giveUpAt
    }

    /// The result is unknown, or was a server's trouble after which Apple may have kept the request all the same.
    var mayHaveArrived: Bool {
        switch result {
        case .unknown: true
        case .retry: status.map { $0 >= 500 } ?? false
        case nil, .accepted, .refused, .doubted, .credentials, .notSent: false
        }
    }
}

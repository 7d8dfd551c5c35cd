package import FoundationEssentials

/// One rule that an intention breaks, said in words at the member it is about.
package struct CommerceTrouble: Sendable, Hashable {
    package enum Severity: String, Sendable {
        /// Apple would refuse it, or we do.
        case refused
        /// Worth a second look; it can be confirmed.
        case warning
    }

    /// As the API names it: `items[0].refundAmount`, `transactionId`.
    package let member: String
    /// The code with which Apple would answer, where there is one.
    package let appleCode: Int64?
    package let severity: Severity
    package let text: String

    package init(_ member: String, _ appleCode: Int64?, _ text: String) {
        self.init(member, appleCode, .refused, text)
    }

    package init(_ member: String, _ appleCode: Int64?, _ severity: Severity, _ text: String) {
        self.member = member
        self.appleCode = appleCode
        self.severity = severity
        self.text = text
    }
}

/// Why a request was not made.
package enum CommerceRefused: Error, Sendable, Hashable, CustomStringConvertible {
    /// Rules, at least one. Warnings alone can be confirmed.
    case troubles([CommerceTrouble])
    /// The same idempotency key was used for something else.
    case keyTaken(by: UUID)
    /// For the same purchase another request has not been sent yet.
    case alreadyAsked(UUID)
    /// We hold no such transaction and Apple knows none.
    case noSuchTransaction(String)
    /// Apple could not be asked about the transaction.
    case notNow(String)
    /// Who acts may not do this.
    case forbidden(String)
    case noSuchRequest
    /// The request has gone on meanwhile; its state as it is.
    case tooLate(CommerceRequestState)

    package var description: String {
        switch self {
        case .troubles(let troubles): troubles.map { "\($0.member): \($0.text)" }.joined(separator: "; ")
        case .keyTaken(let id): "the key was used for another request, \(id.text)"
        case .alreadyAsked(let id): "for this purchase request \(id.text) has not been sent yet"
        case .noSuchTransaction(let why), .notNow(let why), .forbidden(let why): why
        case .noSuchRequest: "there is no such request"
        case .tooLate(let state): "the request is \(state.rawValue) by now"
        }
    }
}

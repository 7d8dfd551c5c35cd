package import Time

/// What Apple answered: status, code and message as they came, bounded.
package struct AppleAnswer: Sendable, Equatable {
    /// The two endpoint families number their errors independently; a code means nothing without its family.
    package enum Family: Sendable, Equatable { case serverAPI, advancedCommerce }

    package let family: Family
    package let status: Int
    /// Apple's `errorCode`, kept whether or not this release knows it.
    package let code: Int64?
    /// Apple's `errorMessage`, or the start of an answer that was no JSON; at most 500 characters, no control characters.
    package let message: String?
    /// Apple's own number for this call, for asking Apple about it.
    package let requestID: String?
    /// Our clock when the answer was complete.
    package let receivedAt: Moment
    /// Our clock minus Apple's, from the `Date` field; good to about a second.
    package let clockOffset: Duration?

    /// The code's meaning at the App Store Server API; nil for codes of the other family and unknown ones.
    package var serverAPIError: ServerAPIError? {
        family == .serverAPI ? code.flatMap(ServerAPIError.init) : nil
    }

    /// The code's meaning at the Advanced Commerce API; nil for codes of the other family and unknown ones.
    package var advancedCommerceError: AdvancedCommerceError? {
        family == .advancedCommerce ? code.flatMap(AdvancedCommerceError.init) : nil
    }

    func saying(_ message: String) -> AppleAnswer {
        AppleAnswer(
            family: family, status: status, code: code, message: message, requestID: requestID, receivedAt: receivedAt,
            clockOffset: clockOffset)
    }

    /// `400, code 4000047 InvalidTransactionTypeNotSupportedError: "x"`
    package var text: String {
        var text = "\(status)"
        if let code { text += ", code \(code)" }
        if let name = serverAPIError?.documentationName ?? advancedCommerceError?.documentationName {
            text += " \(name)"
        }
        if let message { text += ": \"\(message)\"" }
        return text
    }
}

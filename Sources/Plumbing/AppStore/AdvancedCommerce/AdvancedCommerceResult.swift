package import HTTP
package import Time

/// What came of one call of the Advanced Commerce API, sorted by what to do next.
package enum AdvancedCommerceResult: Sendable {
    /// Any 2xx: Apple took the request. The signed texts are not verified yet, and may be missing.
    case accepted(AppleAnswer, signedTransaction: String?, signedRenewal: String?)
    /// Apple will never accept this request.
    case refused(AppleAnswer)
    /// Refused in a way that no table explains: perhaps the addendum.
    case doubted(AppleAnswer)
    /// Apple had trouble of its own: the same bytes again later, not before `notBefore` where Apple said so.
    case retry(AppleAnswer, notBefore: Moment?)
    /// Too many calls for this app and environment.
    case rateLimited(AppleAnswer, until: Moment)
    /// Apple did not believe the token.
    case credentials(AppleAnswer, clockOffset: Duration?)
    /// The request may have reached Apple, but no answer came back.
    case unknown(HTTPClientError)
    /// The request certainly did not reach Apple.
    case notSent(HTTPClientError)

    package var answer: AppleAnswer? {
        switch self {
        case .accepted(let answer, _, _), .refused(let answer), .doubted(let answer), .retry(let answer, _),
            .rateLimited(let answer, _), .credentials(let answer, _):
            answer
        case .unknown, .notSent: nil
        }
    }

    /// Whether the call went through the door that key, approval and addendum open, whatever came of it there.
    package var showsOpenDoor: Bool {
        switch self {
        case .accepted: true
        case .refused(let answer): answer.advancedCommerceError?.showsTransactionWasLookedUp ?? false
        case .doubted, .retry, .rateLimited, .credentials, .unknown, .notSent: false
        }
    }

    /// Whether Apple has shown that it takes the key's tokens: nothing but an answer about the call itself does.
    package var showsKeyAccepted: Bool {
        switch self {
        case .accepted, .refused: true
        case .doubted(let answer): answer.status != 401
        case .retry, .rateLimited, .credentials, .unknown, .notSent: false
        }
    }

    /// For counters: one word of a closed set.
    package var label: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .doubted: "doubted"
        case .retry: "retry"
        case .rateLimited: "rate-limited"
        case .credentials: "credentials"
        case .unknown: "unknown"
        case .notSent: "not-sent"
        }
    }

    /// One sentence for the request's story and the journal; no token, no body of ours.
    package var text: String {
        switch self {
        case .accepted(let answer, _, _), .refused(let answer), .retry(let answer, _): answer.text
        case .doubted(let answer):
            "\(answer.text); no table explains it: perhaps the Account Holder has not accepted the addendum"
        case .rateLimited(let answer, let until): "\(answer.text); no more calls before \(until.iso8601)"
        case .credentials(let answer, _):
            "\(answer.text); the key is not accepted, or the account has not accepted the addendum"
        case .unknown(let error): "\(error.text); Apple may have received it"
        case .notSent(let error): "\(error.text); nothing was sent"
        }
    }
}

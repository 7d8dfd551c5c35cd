package import HTTP
package import Time

/// What came of one call, sorted by what to do next.
package enum CallResult: Sendable {
    /// Any 2xx, with a body or without. For a consumption reply it means "received", no more.
    case accepted(AppleAnswer)
    /// Apple will never accept this request: stop.
    case refused(AppleAnswer)
    /// Apple had trouble of its own: the same bytes again later, not before `notBefore` where Apple said so.
    case retry(AppleAnswer, notBefore: Moment?)
    /// Too many calls for this app and environment: nothing more for it before `until`.
    case rateLimited(AppleAnswer, until: Moment)
    /// Apple did not believe the token. `clockOffset` is our clock minus Apple's, where the answer was dated.
    case credentials(AppleAnswer, clockOffset: Duration?)
    /// The request may have reached Apple, but no answer came back: the same bytes again later.
    case unknown(HTTPClientError)
    /// The request certainly did not reach Apple: no connection, no safe connection, no address.
    case notSent(HTTPClientError)

    /// Apple's answer, where there was one.
    package var answer: AppleAnswer? {
        switch self {
        case .accepted(let answer), .refused(let answer), .retry(let answer, _), .rateLimited(let answer, _),
            .credentials(let answer, _):
            answer
        case .unknown, .notSent: nil
        }
    }

    /// One sentence for the case's story and the journal; no token, no body of ours.
    package var text: String {
        switch self {
        case .accepted(let answer), .refused(let answer), .retry(let answer, _): answer.text
        case .rateLimited(let answer, let until): "\(answer.text); no more calls before \(until.iso8601)"
        case .credentials(let answer, let offset):
            if let offset, abs(offset.wholeMilliseconds) >= AppStoreServerAPI.clockOffsetWorthSaying.wholeMilliseconds {
                "\(answer.text); our clock differs from Apple's by \(offset.components.seconds) s"
            } else {
                answer.text
            }
        case .unknown(let error): "\(error.text); Apple may have received it"
        case .notSent(let error): "\(error.text); nothing was sent"
        }
    }
}

import Time

/// What an answer of the App Store Server API means for the call: a pure function of status, code and time.
///
/// Source: App Store Server API, Error codes and Identifying rate limits (read 2026-08).
enum AnswerRules {
    /// How long to wait after a 429 that names no usable time.
    static let rateLimitedWithoutTime: Duration = .seconds(30)
    /// Apple counts its limits by the hour, so a time further away than this was not meant as one.
    static let waitMax: Duration = .hours(24)

    static func judge(_ answer: AppleAnswer, retryAfter: String?, now: Moment) -> CallResult {
        switch answer.status {
        case 200...299: .accepted(answer)
        // Plain text, JSON or nothing: the status alone decides.
        case 401: .credentials(answer, clockOffset: answer.clockOffset)
        case 429: .rateLimited(answer, until: milliseconds(retryAfter, now) ?? now + rateLimitedWithoutTime)
        case 500...599: .retry(answer, notBefore: milliseconds(retryAfter, now))
        case 400...499:
            isPassing(answer) ? .retry(answer, notBefore: milliseconds(retryAfter, now)) : .refused(answer)
        // A redirect is not followed, and anything else is no answer of this API: something stands
        // between Apple and us, or the base address is wrong.
        default: .retry(answer, notBefore: nil)
        }
    }

    private static func isPassing(_ answer: AppleAnswer) -> Bool {
        if let known = answer.serverAPIError { return known.isRetryable }
        if answer.code != nil { return false }
        // Apple's own refusals carry a code, but for the 400 that means a malformed body. These statuses
        // without one come from a gateway on the way, and say nothing about our request.
        return [403, 404, 407, 408, 421, 425].contains(answer.status)
    }

    /// Apple's Retry-After is the absolute UNIX time in milliseconds. Nil for anything else, the past
    /// and times beyond `waitMax`.
    static func milliseconds(_ text: String?, _ now: Moment) -> Moment? {
        guard let text, let value = Int64(text) else { return nil }
        let moment = Moment(milliseconds: value)
        guard moment > now, moment <= now + waitMax else { return nil }
        return moment
    }
}

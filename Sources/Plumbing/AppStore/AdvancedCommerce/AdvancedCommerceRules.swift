import Time

/// What an answer of the Advanced Commerce API means for the call: a pure function of status, code and time.
///
/// The second list of its kind, on purpose: a code says nothing without the family of calls it belongs to.
/// Source: Advanced Commerce API, Error codes and Identifying rate limits (read 2026-08).
package enum AdvancedCommerceRules {
    /// Whether a refusal is neither in Apple's tables nor a plain fault of the credentials.
    ///
    /// Apple does not publish the code with which a missing addendum is refused, so everything that cannot be
    /// explained otherwise is held against it. A 401 whose body has a code took the token for one and refused the
    /// app or the account; a bare one did not believe the token.
    package static func isDoubtful(status: Int, code: Int64?) -> Bool {
        switch status {
        case 401: code != nil
        // These come from something on the way, and say nothing about us.
        case 407, 408, 421, 425, 429: false
        case 400...499: code.flatMap(AdvancedCommerceError.init) == nil
        default: false
        }
    }

    static func judge(
        _ answer: AppleAnswer, body: [UInt8], retryAfter: String?, now: Moment
    ) -> AdvancedCommerceResult {
        let notBefore = AnswerRules.milliseconds(retryAfter, now)
        switch answer.status {
        case 200...299:
            let signed = AdvancedCommerceBody.Answer(body)
            return .accepted(
                answer, signedTransaction: signed?.signedTransactionInfo, signedRenewal: signed?.signedRenewalInfo)
        case 429: return .rateLimited(answer, until: notBefore ?? now + AnswerRules.rateLimitedWithoutTime)
        case 401 where answer.code == nil: return .credentials(answer, clockOffset: answer.clockOffset)
        case 400...499:
            if isDoubtful(status: answer.status, code: answer.code) { return .doubted(answer) }
            if let known = answer.advancedCommerceError {
                return known.isPassing ? .retry(answer, notBefore: notBefore) : .refused(answer)
            }
            return .retry(answer, notBefore: notBefore)
        case 500...599: return .retry(answer, notBefore: notBefore)
        // A redirect is not followed, and anything else is no answer of this API.
        default: return .retry(answer, notBefore: nil)
        }
    }
}

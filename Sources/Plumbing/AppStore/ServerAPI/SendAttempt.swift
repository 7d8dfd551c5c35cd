package import Time

/// How one attempt of Apple's to deliver a notification ended.
///
/// Source: App Store Server API, sendAttemptResult (read 2026-08).
package enum SendAttemptResult: String, Sendable, CaseIterable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}

/// One attempt of Apple's to deliver a notification.
package struct SendAttempt: Sendable, Equatable {
    /// Nil where Apple named no usable time.
    package let at: Moment?
    package let result: Known<SendAttemptResult>

    package init(at: Moment?, result: Known<SendAttemptResult>) {
        self.at = at
        self.result = result
    }
}

/// A notification as Apple's history has it: the state at its first sending, not verified yet.
package struct NotificationRecord: Sendable, Equatable {
    /// A compact JWS.
    package let signedPayload: String
    /// In Apple's order; Apple makes six at the most, more than `attemptsMax` are cut off.
    package let attempts: [SendAttempt]

    package static let attemptsMax = 50

    package init(signedPayload: String, attempts: [SendAttempt]) {
        self.signedPayload = signedPayload
        self.attempts = attempts
    }

    /// The newest attempt; of two that name the same time the later one in Apple's order.
    package var newestAttempt: SendAttempt? {
        attempts.reduce(nil) { newest, attempt in
            guard let newest, let known = newest.at, let at = attempt.at, at < known else { return attempt }
            return newest
        }
    }
}

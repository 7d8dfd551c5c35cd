import HTTP
import Time

/// Carries notifications to the developer's server, one attempt at a time.
struct Postman: Sendable {
    let client: HTTPClient
    let clock: WallClock

    /// One POST, as Enabling App Store Server Notifications describes it (apple sheet 1.1).
    ///
    /// - Parameter patience: how long an answer is waited for.
    func deliver(_ body: [UInt8], to url: String, patience: Duration) async -> SentNotification.Attempt {
        let at = clock.now
        let request = ClientRequest(
            method: .post, url: url, headers: ["Content-Type": "application/json"], body: body,
            responseBytesMax: 64 * 1024, totalTimeout: patience)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            return SentNotification.Attempt(
                at: at, url: url, status: response.status, body: String(decoding: response.body, as: UTF8.self),
                error: nil,
                result: Self.result(of: response))
        } catch {
            return SentNotification.Attempt(
                at: at, url: url, status: 0, body: "", error: error.text, result: Self.result(of: error))
        }
    }

    /// `sendAttemptResult` for an answer: 200…206 count as delivered, and nothing else does (apple sheet 1.2, 1.8).
    private static func result(of response: ClientResponse) -> String {
        guard (200...206).contains(response.status) else { return "UNSUCCESSFUL_HTTP_RESPONSE_CODE" }
        // Which sets Apple reads is not documented; these are safe.
        let parameters = response.headers["Content-Type"]?.lowercased().split(separator: ";").dropFirst() ?? []
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            if parts.count == 2, parts[0] == "charset", !["utf-8", "us-ascii", "iso-8859-1"].contains(parts[1]) {
                return "UNSUPPORTED_CHARSET"
            }
        }
        return "SUCCESS"
    }

    /// `sendAttemptResult` for a call that brought no answer (apple sheet 1.8).
    private static func result(of error: HTTPClientError) -> String {
        switch error.kind {
        case .timeout: "TIMED_OUT"
        case .tls: "TLS_ISSUE"
        case .reset: "PREMATURE_CLOSE"
        case .connect: "SOCKET_ISSUE"
        case .resolve: "NO_RESPONSE"
        case .malformed, .tooLarge: "INVALID_RESPONSE"
        default: "OTHER"
        }
    }
}

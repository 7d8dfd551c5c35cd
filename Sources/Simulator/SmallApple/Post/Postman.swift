import HTTP
import Time

/// Carries notifications to the developer's server, one attempt at a time.
struct Postman: Sendable {
    let client: HTTPClient
    let clock: WallClock

    /// How long the real sender waits is not documented (apple sheet 1.2).
    private static let patience = Duration.seconds(15)

    /// One POST, as Enabling App Store Server Notifications describes it (apple sheet 1.1).
    func deliver(_ body: [UInt8], to url: String) async -> SentNotification.Attempt {
        let at = clock.now
        let request = ClientRequest(
            method: .post, url: url, headers: ["Content-Type": "application/json"], body: body,
            responseBytesMax: 64 * 1024, totalTimeout: Self.patience)
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            return SentNotification.Attempt(
                at: at, url: url, status: response.status, body: String(decoding: response.body, as: UTF8.self),
                error: nil,
                result: (200...206).contains(response.status) ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
        } catch {
            return SentNotification.Attempt(
                at: at, url: url, status: 0, body: "", error: error.text, result: Self.result(of: error))
        }
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

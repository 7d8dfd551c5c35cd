import HTTP
import Refunds

/// What Apple is told about a delivery.
///
/// Apple takes 200 to 206 as received and repeats on anything else: in Production 1, 12, 24, 48 and
/// 72 hours after the attempt before, in Sandbox never (App Store Server Notifications, Responding).
/// So 200 is said only of what is durable, 503 of what should come again, and 4xx of what can
/// never be right. A redirect would lose the body and is never said.
enum Answer {
    static func response(to outcome: IntakeOutcome) -> Response {
        switch outcome {
        case .accepted, .duplicate: Response(.ok)
        case .rejected(let reason, let text): .text("\(reason): \(text)\n", status: .badRequest)
        case .unavailable(let retryAfter, _): unavailable(retryAfter: retryAfter)
        }
    }

    /// Our own trouble, without its details: those are in the journal.
    static func unavailable(retryAfter: Duration) -> Response {
        var response = Response.text("not now; send it again\n", status: .serviceUnavailable)
        response.headers.add("Retry-After", String(max(1, retryAfter.components.seconds)))
        return response
    }
}

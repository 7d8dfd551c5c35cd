import HTTP
import Time

/// What came of asking an app's server once. Pure.
enum CallbackOutcome: Sendable, Hashable {
    case answered(CallbackAnswer, status: Int)
    /// It will say the same again: this request's question ends.
    case refused(String, status: Int?, objection: ConsentObjection? = nil)
    /// A passing trouble; after so long, where the server said so.
    case again(String, status: Int?, after: Duration? = nil)
    /// It did not leave this machine, for reasons of our own.
    case notAsked(String)
    /// This process ended the call after it had begun: nobody knows what the server made of it.
    case cutOff(String)

    /// The label in counters.
    var result: String {
        switch self {
        case .answered: "answered"
        case .refused: "refused"
        case .again: "failed"
        case .notAsked: "not-asked"
        case .cutOff: "unknown"
        }
    }

    init(_ response: ClientResponse, at now: Moment) {
        let status = response.status
        switch status {
        case 200...299:
            do throws(CallbackAnswer.Unreadable) {
                self = .answered(try CallbackAnswer(response.body, at: now), status: status)
            } catch {
                // Consent may be in it, refused: what was known before is no ground to send.
                let mayObject = CallbackAnswer.Unreadable.mayObject(response.body)
                self = .refused(
                    mayObject
                        ? error.text + "; it speaks of consent, so nothing is sent about this request" : error.text,
                    status: status, objection: mayObject ? .unreadable : nil)
            }
        case 300...399: self = .refused("answered \(status), a redirect, which is not followed", status: status)
        case 408, 425, 429, 500...:
            let wait = response.headers["Retry-After"].flatMap { Int64($0) }.map {
                Duration.seconds(min(max(0, $0), 3600))
            }
            if WebhookVerdict(response) == .again {
                self = .again("answered \(status)", status: status, after: wait)
            } else {
                self = .refused("answered \(status) and asked not to be asked again", status: status)
            }
        default: self = .refused("answered \(status)", status: status)
        }
    }

    init(_ error: HTTPClientError) {
        switch error.kind {
        case .shutDown where error.arrival == .unknown, .cancelled where error.arrival == .unknown:
            self = .cutOff(error.text)
        case .busy, .shutDown, .cancelled: self = .notAsked(error.text)
        case .badRequest, .addressRefused: self = .refused(error.text, status: nil)
        case .tooLarge: self = .refused("the answer is longer than \(CallbackAnswer.bytesMax / 1024) KiB", status: nil)
        default: self = .again(error.text, status: nil)
        }
    }
}

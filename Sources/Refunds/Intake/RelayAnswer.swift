import HTTP
import Time

/// How the other receiver took one notification. Pure.
struct RelayAnswer: Sendable, Hashable {
    let status: Int?
    /// For people; nil where it was taken.
    let error: String?
    /// The receiver as a whole seems to be away: others need not be tried now.
    let isAway: Bool
    /// It asked for patience, up to an hour of it.
    let retryAfter: Duration?

    var isDelivered: Bool { error == nil }

    private init(status: Int?, error: String?, isAway: Bool, retryAfter: Duration? = nil) {
        self.status = status
        self.error = error
        self.isAway = isAway
        self.retryAfter = retryAfter
    }

    /// A 2xx takes it; a redirect is not followed, since the address is the one that was entered.
    init(_ response: ClientResponse) {
        let status = response.status
        switch status {
        case 200...299: self.init(status: status, error: nil, isAway: false)
        case 300...399:
            self.init(status: status, error: "answered with a redirect, which is not followed", isAway: false)
        case 429, 503:
            let wait = response.headers["Retry-After"].flatMap { Int64($0) }.map {
                Duration.seconds(min(max(0, $0), 3600))
            }
            self.init(status: status, error: "answered \(status)", isAway: true, retryAfter: wait)
        case 500...: self.init(status: status, error: "answered \(status)", isAway: true)
        default: self.init(status: status, error: "answered \(status)", isAway: false)
        }
    }

    init(_ error: HTTPClientError) {
        let isOurs = error.kind == .busy || error.kind == .shutDown || error.kind == .cancelled
        self.init(status: nil, error: error.text, isAway: !isOurs && error.kind != .tooLarge)
    }

    /// What is to be passed on is no longer there.
    static let forgotten = RelayAnswer(status: nil, error: "the original is no longer kept", isAway: false)
}

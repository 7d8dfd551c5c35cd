import HTTP

/// What the receiver of a webhook said about it: by its status, and by the field in which it may say more.
enum WebhookVerdict: Sendable, Hashable {
    case taken
    /// Send it again later.
    case again
    /// Never send this one again (`webhook-delivery: abort-message`).
    case abandoned
    /// Send nothing there any more (`webhook-delivery: disable`, or 410).
    case endpointGone

    /// A 2xx takes it; everything else, redirects included, does not.
    init(_ response: ClientResponse) {
        if (200...299).contains(response.status) {
            self = .taken
            return
        }
        switch response.headers["webhook-delivery"]?.lowercased() {
        case "abort-message": self = .abandoned
        case "disable": self = .endpointGone
        default: self = response.status == 410 ? .endpointGone : .again
        }
    }
}

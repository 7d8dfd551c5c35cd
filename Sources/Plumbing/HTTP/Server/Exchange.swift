import Journal
import Time

/// One request on its way through the server, and what the access log will say of it.
struct Exchange {
    let head: RequestHead
    let matched: Matched
    /// Nil once the handler has it.
    var body: BodyReception?
    let requestID: String
    let client: ClientInfo
    let receivedAt: Moment
    /// Nanoseconds of the monotonic clock at the first byte.
    let began: UInt64
    /// 0 until there is an answer.
    var status = 0
    var bytesOut = 0

    func request(peer: Peer) -> Request? {
        guard let body else { return nil }
        return Request(
            method: head.method, target: head.target, path: head.path, segments: head.segments,
            headers: head.headers, body: body.bytes, peer: peer)
    }

    func context(_ journal: Journal) -> Context {
        Context(
            requestID: requestID, route: matched.pattern, parameters: matched.parameters, client: client,
            journal: journal, receivedAt: receivedAt)
    }
}

/// Where a request goes.
struct Matched {
    let handler: Handler
    /// `-` where no route matches.
    let pattern: String
    let parameters: [String: String]
    let bodyMax: Int
    /// What the access log may print of the path.
    let logPath: String
    /// To be overwritten after the handler.
    var hasSecretBody = false
    /// The methods that would have been right.
    let allow: String?
}

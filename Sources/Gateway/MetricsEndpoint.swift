package import HTTP
package import Journal

/// `/metrics`: counters as text, for Prometheus.
///
/// With a token, whoever shows it may read them. Without one, this machine and the trusted proxies'
/// ranges may, by the client's own address: a stranger does not become local by coming through a proxy.
package struct MetricsEndpoint: Sendable {
    private let counters: Counters
    private let token: Redacted<String>?

    package init(counters: Counters, token: Redacted<String>?) {
        self.counters = counters
        self.token = token
    }

    package var routes: [Route] {
        [
            Route(.get, "/metrics", trailingSlash: true) { request, context in
                guard isAllowed(request, context) else {
                    return .text("metrics are not for you\n", status: token == nil ? .forbidden : .unauthorized)
                }
                return Response(
                    .ok, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                    body: .bytes(Array(counters.text().utf8)))
            }
        ]
    }

    private func isAllowed(_ request: Request, _ context: Context) -> Bool {
        if let token {
            guard let given = request.bearerToken else { return false }
            return Self.isEqual(given, token.reveal())
        }
        if context.client.isInTrustedRange { return true }
        // A proxy that is not configured as trusted still says that it is one.
        let isForwarded = ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"].contains { request.headers.contains($0) }
        return request.peer.isLoopback && !context.client.isBehindTrustedProxy && !isForwarded
    }

    /// Takes the same time wherever the two differ.
    private static func isEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

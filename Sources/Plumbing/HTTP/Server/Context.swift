package import Journal
package import Time

/// What a handler is told about a request beside the request itself.
package struct Context: Sendable {
    /// In the answer's `X-Request-Id`, in the access log and in every line of `journal`.
    package let requestID: String
    /// The pattern of the route, never the path: safe as a label and in a log.
    package let route: String
    /// Decoded, by the names of the pattern.
    package let parameters: [String: String]
    package let client: ClientInfo
    package let receivedAt: Moment
    private let baseJournal: Journal

    package init(
        requestID: String, route: String, parameters: [String: String], client: ClientInfo, journal: Journal,
        receivedAt: Moment
    ) {
        self.requestID = requestID
        self.route = route
        self.parameters = parameters
        self.client = client
        self.receivedAt = receivedAt
        baseJournal = journal
    }

    /// Lines that carry the request's id.
    package var journal: Journal { baseJournal.with(["request": .string(requestID)]) }

    /// A parameter of the pattern; asking for one it does not name is a fault of ours.
    package func parameter(_ name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("the route \(route) names no \(name)") }
        return value
    }
}

/// Who asks, when trusted proxies have been looked through.
package struct ClientInfo: Sendable, Hashable {
    /// The address as text; `unix` where a Unix socket is all that is known.
    package let address: String
    /// The client speaks TLS, as a trusted proxy says.
    package let isSecure: Bool
    /// The connection comes from an address whose word is believed.
    package let isBehindTrustedProxy: Bool
    /// The client's own address lies in a trusted range.
    package let isInTrustedRange: Bool

    package init(
        address: String, isSecure: Bool = false, isBehindTrustedProxy: Bool = false, isInTrustedRange: Bool = false
    ) {
        self.address = address
        self.isSecure = isSecure
        self.isBehindTrustedProxy = isBehindTrustedProxy
        self.isInTrustedRange = isInTrustedRange
    }
}

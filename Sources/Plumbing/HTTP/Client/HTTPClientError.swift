/// Why a call brought no answer, and whether the other side can have seen it.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Arrival: Sendable, Equatable {
        /// No byte of the request left this machine: repeating it cannot do anything twice.
        case notReceived
        /// The request was, at least in part, written to a connection.
        case unknown
    }

    package enum Kind: Sendable, Equatable {
        /// The request itself cannot be sent: no proper http or https URL, a bad field.
        case badRequest
        /// The host's name has no address, or no name server answered.
        case resolve
        /// Refused, unreachable, or no connection in time.
        case connect
        /// The connection could not be made safe. Nothing was sent.
        case tls(TLSFault)
        /// The host's address is one that this client does not call.
        case addressRefused
        /// No complete answer in time.
        case timeout
        /// The connection ended before the answer was complete.
        case reset
        /// The answer is longer than the request allows.
        case tooLarge
        /// The answer was not HTTP.
        case malformed
        /// The caller's task was cancelled.
        case cancelled
        /// As many calls as allowed are running already, or hold every connection until this one's time is over.
        case busy
        case shutDown
        /// Anything else, with libcurl's own number.
        case other(code: Int)
    }

    package let arrival: Arrival
    package let kind: Kind
    /// For the person on call: what was tried and what went wrong; no body, path or token.
    package let text: String

    package init(arrival: Arrival, kind: Kind, text: String) {
        self.arrival = arrival
        self.kind = kind
        self.text = text
    }

    package var isTLS: Bool { if case .tls = kind { true } else { false } }

    package var description: String { text }
}

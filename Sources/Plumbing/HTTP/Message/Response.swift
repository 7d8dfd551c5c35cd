/// An answer: bounded bytes, or a stream that is pulled as fast as the peer reads.
package struct Response: Sendable {
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// Called for the next piece when the last one has been written; nil is the end. A throw
        /// breaks the connection off, so that nobody takes the half for the whole.
        case stream(pull: @Sendable () async throws -> [UInt8]?)
    }

    package var status: Status
    package var headers: HeaderFields
    package var body: Body

    package init(_ status: Status, headers: HeaderFields = [:], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func status(_ status: Status) -> Response { Response(status) }

    package static func text(_ text: String, status: Status = .ok) -> Response {
        Response(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
    }

    package static func json(_ bytes: [UInt8], status: Status = .ok) -> Response {
        Response(status, headers: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    package static func html(_ bytes: [UInt8], status: Status = .ok) -> Response {
        Response(status, headers: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(bytes))
    }

    /// The answer to a form: go and look there.
    package static func seeOther(_ location: String) -> Response {
        Response(.seeOther, headers: ["Location": location])
    }
}

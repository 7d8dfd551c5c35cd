/// One request to somebody else's server.
package struct ClientRequest: Sendable {
    package var method: Method
    /// Absolute, `http` or `https`, printable ASCII, without user name or password; at most 8 KiB.
    package var url: String
    package var headers: HeaderFields
    /// Nil and empty differ only for methods that usually carry no body: those then send no length.
    package var body: [UInt8]?
    /// A longer answer ends the call with `tooLarge`.
    package var responseBytesMax: Int
    /// Name look-up, TCP and TLS together.
    package var connectTimeout: Duration
    /// From the hand-over to the last byte of the answer, time in the queue included.
    package var totalTimeout: Duration
    /// The answer holds the other side's certificate; such a call has a connection of its own.
    package var asksForCertificate = false

    package init(
        method: Method, url: String, headers: HeaderFields = HeaderFields(), body: [UInt8]? = nil,
        responseBytesMax: Int = 1 << 20, connectTimeout: Duration = .seconds(5),
        totalTimeout: Duration = .seconds(20)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.responseBytesMax = responseBytesMax
        self.connectTimeout = connectTimeout
        self.totalTimeout = totalTimeout
    }
}

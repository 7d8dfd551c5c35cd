package import Time

/// A complete answer: any status, the whole body.
package struct ClientResponse: Sendable {
    package let status: Int
    package let headers: HeaderFields
    package let body: [UInt8]
    /// 1 for HTTP/1.0 and 1.1, 2 for HTTP/2.
    package let httpVersion: Int
    /// The other side's own certificate, PEM, where it was asked for.
    package var certificate: String?

    /// The server's clock when it answered, from its `Date` field; whole seconds.
    package var date: Moment? { headers["Date"].flatMap(HTTPDate.parse) }
}

/// What a connection may cost. Each limit is a bound on what one stranger can take from the others.
package struct Limits: Sendable {
    /// Bytes of the request line and the header together: 431 above.
    package var headerBytesMax = 32 * 1024
    /// Bytes of the target alone: 414 above.
    package var targetBytesMax = 8 * 1024
    /// Header fields, and again trailer fields: 431 above.
    package var headerFieldsMax = 100
    /// Bytes of a body, whatever its route allows: 413 above. A file of 1 MiB, and the form around it.
    package var bodyBytesMax = 1024 * 1024 + 64 * 1024
    /// Bytes of all bodies that are being received or answered: 503 above.
    package var bodiesBytesMax = 128 * 1024 * 1024
    /// Open connections: further ones are answered 503 and closed.
    package var connectionsMax = 10_000
    /// From the first byte of a header to its last.
    package var headerTime: Duration = .seconds(10)
    /// Bytes a second that a body must arrive and an answer be read at…
    package var bytesPerSecondMin = 500
    /// …on average over each stretch of this time.
    package var transferGrace: Duration = .seconds(10)
    /// Between two requests, and before the first.
    package var idleTime: Duration = .seconds(60)
    /// For what the peer still sends after a final answer, so that it can read that answer.
    package var lingerTime: Duration = .seconds(2)

    package init() {}

    /// How often connections are looked at: a few times within the shortest limit.
    var sweepInterval: Duration {
        let shortest = min(min(headerTime, transferGrace), min(idleTime, lingerTime))
        return min(.seconds(1), max(.milliseconds(10), shortest / 4))
    }
}

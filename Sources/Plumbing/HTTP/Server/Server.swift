package import Journal
package import Loop
package import Time

/// An HTTP/1.1 server over TCP and Unix sockets.
package final class Server: Sendable {
    package init(
        listen: SocketAddress, routes: Router, limits: Limits = Limits(), loops: EventLoops,
        trustedProxies: [AddressRange] = [], clock: WallClock, journal: Journal, counters: Counters
    ) {}

    /// Listens and serves.
    ///
    /// - Returns: the address with the port that the system chose.
    /// - Throws: `SocketError` when the address cannot be listened at.
    package func start() async throws -> SocketAddress { preconditionFailure("comes within the hour") }

    /// Stops accepting, finishes what runs, and closes.
    package func stop(within time: Duration) async { preconditionFailure("comes within the hour") }
}

import Loop

/// Who is at the other end of the connection: perhaps a proxy.
package struct Peer: Sendable, Hashable {
    private let ip: IPAddress?
    package let port: UInt16?

    /// Nil for a Unix socket.
    package var address: String? { ip.map { "\($0)" } }
    package var isUnix: Bool { ip == nil }
    /// From this machine, through TCP or a Unix socket.
    package var isLoopback: Bool { ip?.isLoopback ?? true }

    /// From text, for tests of handlers: nil is a Unix socket, as is what is no address.
    package init(address: String?, port: UInt16?) {
        ip = address.flatMap { IPAddress($0) }
        self.port = port
    }

    init(_ address: SocketAddress?) {
        ip = address?.ip
        port = address?.port
    }

    func isIn(_ ranges: [AddressRange]) -> Bool { ranges.contains { $0.contains(ip) } }
}

import Loop

/// A port of this machine that was free a moment ago, for a program that must know its address before it starts.
package enum FreePort {
    struct None: Error {}

    package static func find() throws -> UInt16 {
        guard let address = SocketAddress("127.0.0.1:0"), let port = try Socket.listen(address).address.port else {
            throw None()
        }
        return port
    }
}

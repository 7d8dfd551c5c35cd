package import HTTP
package import Journal
package import Loop
import Synchronization
package import Time

/// A server on a free port, with what it logged.
package final class RunningServer: Sendable {
    package let server: Server
    package let address: SocketAddress
    package let counters: Counters
    private let lines: Lines

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// - Parameter listen: a free TCP port unless another address is given.
    package init(
        _ routes: [Route], limits: Limits = Limits(), trustedProxies: [AddressRange] = [],
        listen: SocketAddress? = nil, clock: WallClock = .system, change: (inout Router) -> Void = { _ in }
    ) async throws {
        let lines = Lines()
        let counters = Counters()
        let journal = Journal(level: .debug) { line in lines.all.withLock { $0.append(line) } }
        guard let free = SocketAddress("127.0.0.1:0") else { preconditionFailure("an address of ours") }
        var router = Router(routes)
        change(&router)
        server = Server(
            listen: listen ?? free, routes: router, limits: limits, loops: TestLoops.shared,
            trustedProxies: trustedProxies, clock: clock, journal: journal, counters: counters)
        address = try await server.start()
        self.lines = lines
        self.counters = counters
    }

    package var journal: [String] { lines.all.withLock { $0 } }

    package func connect() async throws -> RawClient { try await RawClient.connect(to: address) }

    /// One request on a connection of its own.
    package func ask(_ request: String, toHead: Bool = false) async throws -> RawResponse {
        let client = try await connect()
        try await client.send(request)
        let response = try await client.response(toHead: toHead)
        await client.close()
        return response
    }
}

package import Journal
package import Loop
import Synchronization
package import Time

/// An HTTP/1.1 server over TCP and Unix sockets, by RFC 9110 and RFC 9112.
///
/// Each connection lives on one of the loops; handlers run there and must not block.
package final class Server: Sendable {
    private let address: SocketAddress
    private let inherited: [CInt]
    private let setting: ServerSetting
    private let halls: [Hall]
    private let listeners = Mutex<[Listener]>([])

    /// - Parameter inherited: descriptors of sockets that whoever started the process listens at; where there are any,
    ///   `listen` is not listened at.
    package init(
        listen: SocketAddress, inherited: [CInt] = [], routes: Router, limits: Limits = Limits(), loops: EventLoops,
        trustedProxies: [AddressRange] = [], clock: WallClock, journal: Journal, counters: Counters
    ) {
        address = listen
        self.inherited = inherited
        let setting = ServerSetting(
            routes: routes, limits: limits, trust: ProxyTrust(ranges: trustedProxies), clock: clock,
            journal: journal, counters: counters)
        self.setting = setting
        halls = loops.all.map { Hall(loop: $0, setting: setting) }
    }

    /// Listens and serves.
    ///
    /// - Returns: the address with the port that the system chose; the first of several.
    /// - Throws: `SocketError` when the address cannot be listened at, or an inherited socket is none.
    package func start() async throws -> SocketAddress {
        // One descriptor a connection, and some for the database, the journal and outgoing calls.
        let files = Socket.raiseFileLimit(to: setting.limits.connectionsMax + 256)
        if files < setting.limits.connectionsMax {
            setting.journal.warning(
                "fewer files may be open than connections are allowed",
                ["files": JournalValue(files), "connections": JournalValue(setting.limits.connectionsMax)])
        }
        guard !inherited.isEmpty else { return try await open(Socket.listen(address)) }
        var bound = address
        for (index, raw) in inherited.enumerated() {
            let address = try await open(Socket.adopt(raw))
            if index == 0 { bound = address }
        }
        return bound
    }

    private func open(_ listening: consuming Socket.Listening) async -> SocketAddress {
        let address = listening.address
        let listener = Listener(listening, halls: halls, setting: setting)
        listeners.withLock { $0.append(listener) }
        await listener.open()
        return address
    }

    /// Stops accepting, lets running requests end, and closes; what still runs after `time` is cut
    /// off. Returns when every connection is closed.
    package func stop(within time: Duration) async {
        let listeners = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for listener in listeners { await listener.close() }
        for hall in halls { await hall.stopSoon() }
        let halls = halls
        let cutOff = halls[0].loop.after(time) {
            for hall in halls { hall.loop.post { hall.assumeIsolated { $0.stopNow() } } }
        }
        await setting.occupancy.empty()
        cutOff.cancel()
    }
}

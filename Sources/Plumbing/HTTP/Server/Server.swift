package import Journal
package import Loop
import Synchronization
package import Time

/// An HTTP/1.1 server over TCP and Unix sockets, by RFC 9110 and RFC 9112.
///
/// Each connection lives on one of the loops; handlers run there and must not block.
package final class Server: Sendable {
    private let address: SocketAddress
    private let setting: ServerSetting
    private let halls: [Hall]
    private let listener = Mutex<Listener?>(nil)

    package init(
        listen: SocketAddress, routes: Router, limits: Limits = Limits(), loops: EventLoops,
        trustedProxies: [AddressRange] = [], clock: WallClock, journal: Journal, counters: Counters
    ) {
        address = listen
        let setting = ServerSetting(
            routes: routes, limits: limits, trust: ProxyTrust(ranges: trustedProxies), clock: clock,
            journal: journal, counters: counters)
        self.setting = setting
        halls = loops.all.map { Hall(loop: $0, setting: setting) }
    }

    /// Listens and serves.
    ///
    /// - Returns: the address with the port that the system chose.
    /// - Throws: `SocketError` when the address cannot be listened at.
    package func start() async throws -> SocketAddress {
        // One descriptor a connection, and some for the database, the journal and outgoing calls.
        let files = Socket.raiseFileLimit(to: setting.limits.connectionsMax + 256)
        if files < setting.limits.connectionsMax {
            setting.journal.warning(
                "fewer files may be open than connections are allowed",
                ["files": JournalValue(files), "connections": JournalValue(setting.limits.connectionsMax)])
        }
        let listening = try Socket.listen(address)
        let bound = listening.address
        let listener = Listener(listening, halls: halls, setting: setting)
        await listener.open()
        self.listener.withLock { $0 = listener }
        return bound
    }

    /// Stops accepting, lets running requests end, and closes; what still runs after `time` is cut
    /// off. Returns when every connection is closed.
    package func stop(within time: Duration) async {
        let listener = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        await listener?.close()
        for hall in halls { await hall.stopSoon() }
        let halls = halls
        let cutOff = halls[0].loop.after(time) {
            for hall in halls { hall.loop.post { hall.assumeIsolated { $0.stopNow() } } }
        }
        await setting.occupancy.empty()
        cutOff.cancel()
    }
}

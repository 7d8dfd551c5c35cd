import Journal
import Loop

/// The connections of one loop: an actor pinned to it.
actor Hall {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

    private let setting: ServerSetting
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isSweeping = false
    private var isStopping = false

    init(loop: EventLoop, setting: ServerSetting) {
        self.loop = loop
        self.setting = setting
    }

    /// Takes over an open descriptor, which has been counted.
    func admit(_ raw: CInt, peer: Peer) {
        let connection = Connection(
            descriptor: Descriptor(owning: raw), peer: peer, hall: self, setting: setting)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.open() }
        if isStopping { connection.assumeIsolated { $0.stopSoon() } }
        sweepLater()
    }

    func forget(_ id: ObjectIdentifier) {
        guard connections.removeValue(forKey: id) != nil else { return }
        setting.occupancy.leave()
    }

    func stopSoon() {
        isStopping = true
        for connection in Array(connections.values) { connection.assumeIsolated { $0.stopSoon() } }
    }

    func stopNow() {
        for connection in Array(connections.values) { connection.assumeIsolated { $0.stopNow() } }
    }

    /// One timer for all connections: a request that comes and goes touches none.
    private func sweepLater() {
        guard !isSweeping, !connections.isEmpty else { return }
        isSweeping = true
        loop.after(setting.limits.sweepInterval) { [weak self] in
            self?.assumeIsolated { $0.sweep() }
        }
    }

    private func sweep() {
        isSweeping = false
        let now = EventLoop.now
        for connection in Array(connections.values) { connection.assumeIsolated { $0.check(now: now) } }
        setting.counters.set(
            "http_connections", Double(setting.occupancy.connections), help: "Open connections.")
        sweepLater()
    }
}

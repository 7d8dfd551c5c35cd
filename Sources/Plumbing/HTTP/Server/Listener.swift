import Glibc
import Journal
import Loop

/// Accepts connections and gives them to the loops in turn: an actor pinned to the first loop.
actor Listener {
    private let halls: [Hall]
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

    private let setting: ServerSetting
    private let address: SocketAddress
    private var descriptor: Descriptor?
    private var watch: Watch?
    private var turn = 0
    private let isInherited: Bool

    /// Connections taken in one turn of the loop, so that a flood of them does not hold up others.
    private static let acceptedAtOnceMax = 64

    init(_ listening: consuming Socket.Listening, halls: [Hall], setting: ServerSetting) {
        address = listening.address
        isInherited = listening.isInherited
        descriptor = listening.takeDescriptor()
        self.halls = halls
        loop = halls[0].loop
        self.setting = setting
    }

    func open() {
        guard let raw = descriptor?.raw else { return }
        watch = loop.watch(raw, .read) { [weak self] _ in
            self?.assumeIsolated { $0.accept() }
        }
    }

    /// Stops accepting. What waits in the queue of an own socket is taken first, or the close would break it off; in the queue
    /// of a socket that somebody keeps open it waits for the next process.
    func close() {
        guard descriptor != nil else { return }
        if !isInherited { acceptAll() }
        watch?.cancel()
        watch = nil
        descriptor = nil
        if case .unix(let path) = address, !isInherited { unsafe unlink(path) }
    }

    private func acceptAll() {
        guard let raw = descriptor?.raw else { return }
        // As many as the queue can hold, and not for ever: others may come as quickly as they are taken.
        for _ in 0..<2048 {
            do {
                guard let accepted = try Socket.accept(raw) else { return }
                admit(accepted)
            } catch {
                return
            }
        }
    }

    private func accept() {
        guard let raw = descriptor?.raw else { return }
        do {
            for _ in 0..<Self.acceptedAtOnceMax {
                guard let accepted = try Socket.accept(raw) else { return }
                admit(accepted)
            }
        } catch {
            // Out of descriptors: the connection stays in the queue, so wait instead of spinning.
            setting.counters.add("http_accept_failures_total", help: "Connections that could not be accepted.")
            setting.journal.error("connections cannot be accepted", ["error": JournalValue(error)])
            watch?.change([])
            loop.after(.milliseconds(100)) { [weak self] in
                self?.assumeIsolated { $0.watch?.change(.read) }
            }
        }
    }

    private func admit(_ accepted: consuming Socket.Accepted) {
        let peer = Peer(accepted.peer)
        let descriptor = accepted.takeDescriptor()
        guard setting.occupancy.enter(max: setting.limits.connectionsMax) else {
            setting.counters.add(
                "http_connections_refused_total", help: "Connections refused because there were too many.")
            let full = Array(
                "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .utf8)
            _ = Socket.write(descriptor.raw, full.span)
            Socket.shutDownWriting(descriptor.raw)
            return
        }
        let raw = descriptor.release()
        let hall = halls[turn % halls.count]
        turn += 1
        hall.loop.post { hall.assumeIsolated { $0.admit(raw, peer: peer) } }
    }
}

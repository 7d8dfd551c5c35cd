import Journal
import Loop
import Time

/// One client's connection: an actor pinned to its loop, from accept to close.
///
/// While it waits for a request it holds no buffer: bytes are read into the loop's, and only what
/// cannot be used yet is kept. One request is answered at a time; what a client sends ahead stays
/// in the kernel, where it slows that client alone.
actor Connection {
    enum Phase {
        /// Waiting for a head, or in the middle of one.
        case head
        case body
        /// A request is whole and is about to be answered.
        case whole
        /// A handler runs, or its answer is being written.
        case answering
        /// The last answer is out; what still comes is thrown away.
        case lingering
        case closed
    }

    /// What happens when the answer has been written.
    enum Next {
        case request
        case close
        case linger
    }

    nonisolated let hall: Hall
    nonisolated var unownedExecutor: UnownedSerialExecutor { hall.loop.executor }

    let setting: ServerSetting
    let peer: Peer
    let direct: ClientInfo
    var descriptor: Descriptor?
    var watch: Watch?

    var phase = Phase.head
    /// When the phase, or within it the transfer, began: nanoseconds of the monotonic clock.
    var began = EventLoop.now
    var parser: HeadParser
    /// Read, but not used yet.
    var pending: [UInt8] = []
    var exchange: Exchange?
    var chargedBytes = 0

    var output: [UInt8] = []
    var outputSent = 0
    /// What had been transferred when the present window began.
    var windowBytes = 0
    var next = Next.request
    var drainWaiter: CheckedContinuation<Bool, Never>?
    var handling: Task<Void, Never>?

    var isPumping = false
    var isStopping = false
    /// A request came over it.
    var hasAsked = false

    init(descriptor: consuming Descriptor, peer: Peer, hall: Hall, setting: ServerSetting) {
        self.descriptor = consume descriptor
        self.peer = peer
        self.hall = hall
        self.setting = setting
        direct = setting.trust.direct(peer)
        parser = HeadParser(setting.limits)
    }

    func open() {
        guard let raw = descriptor?.raw else { return }
        watch = hall.loop.watch(raw, .read) { [weak self] ready in
            self?.assumeIsolated { $0.ready(ready) }
        }
    }

    private func ready(_ ready: Readiness) {
        if ready.contains(.write) { flush() }
        if ready.contains(.read) {
            switch phase {
            case .head, .body: read()
            case .lingering: discard()
            // What is sent ahead must wait, and must not wake us meanwhile.
            case .whole, .answering: watch?.change(output.isEmpty ? [] : .write)
            case .closed: break
            }
        } else if ready.contains(.closed) {
            close()
        }
    }
}

import CCurl
import Glibc
import Loop
import Synchronization

/// The way to the one thread on which all transfers of a client run.
///
/// Measured against libcurl driven by the event loop: faster, half the code, and a slow TLS handshake
/// holds up nobody's requests.
final class TransferThread: Sendable {
    enum Message: Sendable {
        case start(PendingCall)
        case cancel(PendingCall)
    }

    private struct Inbox {
        var messages: [Message] = []
        var inFlight = 0
        var isStopping = false
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        /// Set while the thread runs; used under the lock, so never after it was freed.
        var alarm: TransferLoop.Alarm?
    }

    private let inFlightMax: Int
    private let inbox = Mutex(Inbox())

    /// - Parameter name: the thread's; 15 bytes of it are kept.
    init(name: String, options: HTTPClient.Options) {
        inFlightMax = options.inFlightMax
        Self.prepareProcess
        Thread.start(name: name) { self.run(options) }
    }

    /// Once in a process. libcurl without signals leaves broken pipes to us.
    private static let prepareProcess: Void = {
        signal(SIGPIPE, SIG_IGN)
        curl_global_init(desk_curl_global_flags())
    }()

    // From any thread:

    /// Takes a call, or finishes it at once when there is no room.
    func start(_ call: PendingCall) {
        enum Answer { case taken, shutDown, busy }
        let answer: Answer = inbox.withLock { inbox in
            guard !inbox.isStopping, !inbox.hasEnded else { return .shutDown }
            guard inbox.inFlight < inFlightMax else { return .busy }
            inbox.inFlight += 1
            post(.start(call), &inbox)
            return .taken
        }
        switch answer {
        case .taken: break
        case .shutDown: call.fail(.shutDown, "the client is shut down")
        case .busy: call.fail(.busy, "\(inFlightMax) calls are running already")
        }
    }

    /// Before, during or after its run; the thread ends it if it still runs.
    func cancel(_ call: PendingCall) {
        call.cancel()
        inbox.withLock { inbox in
            if !inbox.hasEnded { post(.cancel(call), &inbox) }
        }
    }

    /// Cancels what runs, and refuses what comes. Returns when the thread has ended.
    func stop() async {
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if !inbox.hasEnded { inbox.waitingForEnd.append(continuation) }
                inbox.isStopping = true
                inbox.alarm?.ring()
                return inbox.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// As `stop`, without waiting.
    func stopLater() {
        inbox.withLock { inbox in
            inbox.isStopping = true
            inbox.alarm?.ring()
        }
    }

    private func post(_ message: Message, _ inbox: inout Inbox) {
        inbox.messages.append(message)
        // Behind an earlier message the thread is awake already.
        if inbox.messages.count == 1 { inbox.alarm?.ring() }
    }

    // On the thread:

    private func run(_ options: HTTPClient.Options) {
        if let loop = TransferLoop(options) {
            inbox.withLock { $0.alarm = loop.alarm }
            var isStopping = false
            while !isStopping {
                let messages: [Message]
                (messages, isStopping) = inbox.withLock { inbox in
                    defer { inbox.messages.removeAll(keepingCapacity: inbox.messages.count < 256) }
                    return (inbox.messages, inbox.isStopping)
                }
                let ended = loop.turn(messages, isLast: isStopping)
                if ended > 0 { inbox.withLock { $0.inFlight -= ended } }
            }
            // Under the lock, so that nobody rings it while the loop goes.
            inbox.withLock { $0.alarm = nil }
        }
        let (left, waiting) = inbox.withLock { inbox in
            inbox.hasEnded = true
            defer { inbox.messages = [] }
            return (inbox.messages, inbox.waitingForEnd)
        }
        for case .start(let call) in left { call.fail(.shutDown, "the client is shut down") }
        for continuation in waiting { continuation.resume() }
    }
}

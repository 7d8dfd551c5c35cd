import Glibc
import Journal
import Loop
import Synchronization

/// A server on a loopback port that does to each request what its script says, faults included, and
/// remembers what it was sent.
///
/// HTTP/1.1 with a Content-Length, nothing else: no server that could be right by itself, so that what a
/// client makes of a wrong one can be seen.
package final class ScriptedServer: Sendable {
    /// One request as it arrived.
    package struct Received: Sendable {
        package let method: String
        package let target: String
        package let fields: [(name: String, value: String)]
        package let body: [UInt8]
        package let at: ContinuousClock.Instant
        /// Which connection it came on, counted from 0.
        package let connection: Int

        package func field(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Step: Sendable {
        /// With a Content-Length; `Date` only where it is given.
        case answer(Int, fields: [(String, String)] = [], body: String = "")
        /// These bytes and nothing added; then the connection is closed, or kept.
        case raw(String, thenClose: Bool = true)
        /// The connection ends with an RST instead of an answer.
        case reset
        /// The connection ends properly, without an answer.
        case close
        /// An answer, after which the connection is closed although it was to be kept.
        case answerThenClose(Int, body: String = "")
        case silence
        indirect case after(Duration, Step)
    }

    package typealias Script = @Sendable (_ request: Received, _ number: Int) -> Step

    private struct Ledger {
        var received: [Received] = []
        var connections = 0
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// All scripted servers share one thread.
    private static let loop = EventLoop.start(name: "scripted", journal: .silent, counters: Counters())

    package let port: Int
    private let script: Script
    private let ledger = Mutex(Ledger())
    private let isStopped = Atomic(false)

    /// - Parameter script: called on the server's thread; `number` counts requests from 0.
    package init(_ script: @escaping Script) throws {
        self.script = script
        let listening = try Socket.listen(.ip(IPAddress("127.0.0.1")!, port: 0))
        port = Int(listening.address.port ?? 0)
        let descriptor = dup(listening.descriptor.raw)
        Self.loop.post { self.accept(at: Descriptor(owning: descriptor)) }
    }

    /// The steps in order; the last one again and again.
    package convenience init(steps: [Step]) throws {
        try self.init { _, number in steps[min(number, steps.count - 1)] }
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    package var received: [Received] { ledger.withLock { $0.received } }
    package var connections: Int { ledger.withLock { $0.connections } }

    /// Waits until so many requests have arrived.
    package func received(count: Int) async -> [Received] {
        await withCheckedContinuation { continuation in
            let isThere = ledger.withLock { ledger in
                if ledger.received.count >= count { return true }
                ledger.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return received
    }

    /// New connections are closed at once from now on.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    // On the loop:

    private final class Connection {
        let descriptor: Descriptor
        let number: Int
        var watch: Watch?
        var input: [UInt8] = []
        var output: [UInt8] = []
        var closesWhenWritten = false
        /// A request is being answered; what comes meanwhile waits.
        var isBusy = false

        init(_ descriptor: consuming Descriptor, number: Int) {
            self.descriptor = descriptor
            self.number = number
        }
    }

    private final class Listener {
        let descriptor: Descriptor
        var watch: Watch?
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    private func accept(at descriptor: consuming Descriptor) {
        let listener = Listener(descriptor)
        listener.watch = Self.loop.watch(listener.descriptor.raw, .read) { [self] _ in
            while let accepted = try? Socket.accept(listener.descriptor.raw) {
                let number = ledger.withLock { ledger in
                    defer { ledger.connections += 1 }
                    return ledger.connections
                }
                if isStopped.load(ordering: .relaxed) { continue }
                let connection = Connection(accepted.takeDescriptor(), number: number)
                connection.watch = Self.loop.watch(connection.descriptor.raw, .read) { [self] ready in
                    if ready.contains(.write) { write(connection) }
                    if !ready.isDisjoint(with: [.read, .closed]) { read(connection) }
                }
            }
        }
    }

    private func read(_ connection: Connection) {
        let end = Self.loop.read(connection.descriptor.raw) { bytes, end in
            for index in bytes.indices { connection.input.append(bytes[index]) }
            return end
        }
        switch end {
        case .more: serve(connection)
        case .nothing: break
        case .end, .failed: close(connection)
        }
    }

    private func serve(_ connection: Connection) {
        guard !connection.isBusy, let request = takeRequest(connection) else { return }
        connection.isBusy = true
        let (number, ready) = ledger.withLock { ledger in
            ledger.received.append(request)
            let count = ledger.received.count
            let ready = ledger.waiting.filter { $0.count <= count }
            ledger.waiting.removeAll { $0.count <= count }
            return (count - 1, ready)
        }
        perform(script(request, number), connection)
        for one in ready { one.continuation.resume() }
    }

    private func perform(_ step: Step, _ connection: Connection) {
        switch step {
        case .answer(let status, let fields, let body):
            var head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n"
            for (name, value) in fields { head += "\(name): \(value)\r\n" }
            send(head + "\r\n" + body, thenClose: false, connection)
        case .answerThenClose(let status, let body):
            send(
                "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", thenClose: true,
                connection)
        case .raw(let text, let thenClose): send(text, thenClose: thenClose, connection)
        case .reset:
            var noLinger = linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(
                connection.descriptor.raw, SOL_SOCKET, SO_LINGER, &noLinger, socklen_t(MemoryLayout<linger>.size))
            close(connection)
        case .close: close(connection)
        case .silence: break
        case .after(let delay, let step):
            // The closure runs on this very loop.
            let box = Box(connection)
            _ = Self.loop.after(delay) { [self] in perform(step, box.connection) }
        }
    }

    /// Carries a connection through a timer of its own loop, past a signature that asks for more.
    private struct Box: @unchecked Sendable {
        let connection: Connection
        init(_ connection: Connection) { self.connection = connection }
    }

    private func send(_ text: String, thenClose: Bool, _ connection: Connection) {
        guard connection.watch != nil else { return }
        connection.output += Array(text.utf8)
        connection.closesWhenWritten = thenClose
        connection.isBusy = false
        write(connection)
        if connection.watch != nil { serve(connection) }
    }

    private func write(_ connection: Connection) {
        switch Socket.write(connection.descriptor.raw, connection.output.span) {
        case .failed: close(connection)
        case .bytes(let count):
            connection.output.removeFirst(count)
            if connection.output.isEmpty && connection.closesWhenWritten {
                close(connection)
            } else {
                connection.watch?.change(connection.output.isEmpty ? .read : [.read, .write])
            }
        }
    }

    private func close(_ connection: Connection) {
        connection.watch?.cancel()
        // The watch's closure holds the connection, and goes with the watch: the descriptor closes.
        connection.watch = nil
    }

    private func takeRequest(_ connection: Connection) -> Received? {
        let input = connection.input
        guard let end = Self.endOfHead(input) else { return nil }
        let lines = String(decoding: input[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first else { return nil }
        let words = first.split(separator: " ")
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard input.count >= end + length else { return nil }
        connection.input.removeFirst(end + length)
        return Received(
            method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "", fields: fields,
            body: Array(input[end..<end + length]), at: .now, connection: connection.number)
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index] == 13 && bytes[index + 1] == 10 {
            if bytes[index + 2] == 13 && bytes[index + 3] == 10 { return index + 4 }
        }
        return nil
    }
}

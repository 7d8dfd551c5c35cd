package import Loop
import Time

/// The client's end of a socket, which sends exactly the bytes it is given.
package actor RawClient {
    private let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

    private var descriptor: Descriptor?
    private var watch: Watch?
    private var received: [UInt8] = []
    /// How much of `received` was handed out.
    private var taken = 0
    private var hasEnded = false
    private var isWritable = false
    private var waiter: CheckedContinuation<Void, Never>?

    package struct TimedOut: Error, CustomStringConvertible {
        package let description: String
    }
    package struct Closed: Error {}

    private init(descriptor: consuming Descriptor, loop: EventLoop) {
        self.descriptor = consume descriptor
        self.loop = loop
    }

    /// - Throws: `SocketError` when nobody listens there.
    package static func connect(to address: SocketAddress) async throws -> RawClient {
        let connecting = try Socket.connect(address)
        let isPending = connecting.isPending
        let client = RawClient(descriptor: connecting.takeDescriptor(), loop: TestLoops.client)
        await client.open()
        if isPending { try await client.becomeConnected() }
        return client
    }

    private func open() {
        guard let raw = descriptor?.raw else { return }
        watch = loop.watch(raw, [.read, .write]) { [weak self] ready in
            self?.assumeIsolated { $0.ready(ready) }
        }
    }

    private func becomeConnected() async throws {
        while !isWritable, !hasEnded { await wait() }
        if let raw = descriptor?.raw, let failure = Socket.failure(of: raw) { throw failure }
    }

    private func ready(_ ready: Readiness) {
        guard let raw = descriptor?.raw else { return }
        if ready.contains(.write) {
            isWritable = true
            watch?.change(hasEnded ? [] : .read)
        }
        if ready.contains(.read) {
            let end = loop.read(raw) { bytes, end in
                received.append(bytes)
                return end
            }
            if end == .end {
                // Its direction has ended, ours has not.
                hasEnded = true
                watch?.change(isWritable ? [] : .write)
            }
            if end == .failed { endReading() }
        } else if ready.contains(.closed) {
            endReading()
        }
        waiter?.resume()
        waiter = nil
    }

    private func endReading() {
        hasEnded = true
        watch?.cancel()
        watch = nil
    }

    /// Until something happens on the socket.
    private func wait() async { await withCheckedContinuation { waiter = $0 } }

    private func wait<T>(_ what: String, within time: Duration, _ look: () throws -> T?) async throws -> T {
        let limit = loop.after(time) { [weak self] in
            self?.assumeIsolated { client in
                client.hasTimedOut = true
                client.waiter?.resume()
                client.waiter = nil
            }
        }
        defer {
            limit.cancel()
            hasTimedOut = false
        }
        while true {
            if let found = try look() { return found }
            if hasTimedOut {
                throw TimedOut(
                    description:
                        "no \(what) after \(time); received: \(String(decoding: received.dropFirst(taken).prefix(500), as: UTF8.self))"
                )
            }
            await wait()
        }
    }
    private var hasTimedOut = false

    // What tests do.

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Returns when the kernel has taken all of it.
    ///
    /// - Throws: `Closed` when the peer has closed.
    package func send(_ bytes: [UInt8]) async throws {
        var sent = 0
        while sent < bytes.count {
            guard let raw = descriptor?.raw, watch != nil else { throw Closed() }
            switch Socket.write(raw, bytes.span.extracting(sent..<bytes.count)) {
            case .failed: throw Closed()
            case .bytes(0):
                isWritable = false
                watch?.change(hasEnded ? .write : [.read, .write])
                while !isWritable, watch != nil { await wait() }
            case .bytes(let count): sent += count
            }
        }
    }

    /// The next bytes up to and with `end`.
    package func receive(until end: String, within time: Duration = .seconds(20)) async throws -> String {
        let pattern = Array(end.utf8)
        return try await wait("\(end.debugDescription)", within: time) {
            guard let found = self.end(of: pattern) else {
                if hasEnded { throw Closed() }
                return nil
            }
            return String(decoding: take(found - taken), as: UTF8.self)
        }
    }

    package func receive(count: Int, within time: Duration = .seconds(20)) async throws -> [UInt8] {
        try await wait("\(count) bytes", within: time) {
            guard received.count - taken >= count else {
                if hasEnded { throw Closed() }
                return nil
            }
            return take(count)
        }
    }

    /// All that comes until the peer closes.
    package func receiveAll(within time: Duration = .seconds(20)) async throws -> [UInt8] {
        try await wait("end of the connection", within: time) {
            guard hasEnded else { return nil }
            return take(received.count - taken)
        }
    }

    private func take(_ count: Int) -> [UInt8] {
        defer {
            taken += count
            if taken == received.count {
                received = []
                taken = 0
            }
        }
        return Array(received[taken..<taken + count])
    }

    /// Where the first `pattern` in what is not taken yet ends.
    private func end(of pattern: [UInt8]) -> Int? {
        var index = taken + pattern.count
        while index <= received.count {
            if received[index - 1] == pattern[pattern.count - 1],
                received[index - pattern.count..<index].elementsEqual(pattern)
            {
                return index
            }
            index += 1
        }
        return nil
    }

    /// One answer.
    ///
    /// - Parameter toHead: the request was HEAD, so that no body follows whatever the header says.
    package func response(toHead: Bool = false, within time: Duration = .seconds(20)) async throws -> RawResponse {
        let head = try await receive(until: "\r\n\r\n", within: time)
        var response = RawResponse(head: head)
        if toHead || response.status < 200 || response.status == 204 || response.status == 304 { return response }
        if response["Transfer-Encoding"] == "chunked" {
            while true {
                let line = try await receive(until: "\r\n", within: time)
                guard let size = Int(line.dropLast(1), radix: 16) else { throw Closed() }
                let piece = try await receive(count: size + 2, within: time)
                response.body += piece.dropLast(2)
                response.chunks += size > 0 ? 1 : 0
                if size == 0 { return response }
            }
        }
        if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try await receive(count: length, within: time)
        } else {
            response.body = try await receiveAll(within: time)
        }
        return response
    }

    /// Says that nothing more will be sent.
    package func endSending() {
        if let raw = descriptor?.raw { Socket.shutDownWriting(raw) }
    }

    package func close() {
        endReading()
        descriptor = nil
    }
}

/// An answer as it came over the wire.
package struct RawResponse: Sendable {
    package let status: Int
    package let statusLine: String
    package let fields: [(name: String, value: String)]
    package var body: [UInt8] = []
    /// How many chunks the body came in.
    package var chunks = 0

    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    init(head: String) {
        let lines = head.split(separator: "\r\n").map(String.init)
        statusLine = lines.first ?? ""
        status = Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }
}

import Journal
import Loop
import Time

/// One client's connection: an actor pinned to its loop, from accept to close.
///
/// While it waits for a request it holds no buffer: bytes are read into the loop's, and only what
/// cannot be used yet is kept. One request is answered at a time; what a client sends ahead stays
/// in the kernel, where it slows that client alone.
actor Connection {
    private enum Phase {
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
    private enum Next {
        case request
        case close
        case linger
    }

    nonisolated let hall: Hall
    nonisolated var unownedExecutor: UnownedSerialExecutor { hall.loop.executor }

    private let setting: ServerSetting
    private let peer: Peer
    private let direct: ClientInfo
    private var descriptor: Descriptor?
    private var watch: Watch?

    private var phase = Phase.head
    /// When the phase, or within it the transfer, began: nanoseconds of the monotonic clock.
    private var began = EventLoop.now
    private var parser: HeadParser
    /// Read, but not used yet.
    private var pending: [UInt8] = []
    private var exchange: Exchange?
    private var chargedBytes = 0

    private var output: [UInt8] = []
    private var outputSent = 0
    /// What had been transferred when the present window began.
    private var windowBytes = 0
    private var next = Next.request
    private var drainWaiter: CheckedContinuation<Bool, Never>?
    private var handling: Task<Void, Never>?

    private var isPumping = false
    private var isStopping = false

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

// Coming in.
extension Connection {
    private func read() {
        guard let raw = descriptor?.raw else { return }
        let end = hall.loop.read(raw) { bytes, end in
            if pending.isEmpty {
                if phase == .head, bytes.count > 0 { began = EventLoop.now }
                let used = take(bytes)
                if used < bytes.count { pending.append(bytes.extracting(used..<bytes.count)) }
            } else {
                pending.append(bytes)
            }
            return end
        }
        switch end {
        case .more: pump()
        case .nothing: break
        case .end, .failed: close()
        }
    }

    /// Goes on with what is there: serves a request that is whole, takes the next from what was read.
    /// A loop, not a recursion, because a client may send a thousand requests at once.
    private func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while true {
            switch phase {
            case .whole: answer()
            case .head, .body:
                guard !pending.isEmpty else { return }
                var bytes: [UInt8] = []
                swap(&bytes, &pending)
                if phase == .head, parser.isAtStart { began = EventLoop.now }
                let used = take(bytes.span)
                if used == 0 {
                    pending = bytes
                } else if used < bytes.count {
                    pending = Array(bytes[used...])
                }
                if phase == .head || phase == .body { return }
            case .answering, .lingering, .closed: return
            }
        }
    }

    /// Uses what it can of `bytes`, up to the end of one request; returns how many.
    private func take(_ bytes: Span<UInt8>) -> Int {
        var used = 0
        do {
            if phase == .head {
                guard let (head, count) = try parser.parse(bytes) else { return 0 }
                used = count
                try begin(head, bytesFollow: used < bytes.count)
            }
            if phase == .body {
                used += try takeBody(bytes.extracting(used..<bytes.count))
            }
            return used
        } catch {
            refuse(error)
            return bytes.count
        }
    }

    private func begin(_ head: RequestHead, bytesFollow: Bool) throws(Refusal) {
        let matched = setting.match(head)
        let bodyMax = min(setting.limits.bodyBytesMax, matched.bodyMax)
        let body: BodyReception
        do throws(Refusal) {
            body = try BodyReception(head.framing, max: bodyMax, fieldsMax: setting.limits.headerFieldsMax)
        } catch {
            throw error.about(head.path)
        }
        exchange = Exchange(
            head: head, matched: matched, body: body,
            requestID: setting.requestID(from: head, direct), client: setting.trust.client(direct, head.headers),
            receivedAt: setting.clock.now, began: began)
        phase = exchange?.body?.isComplete == true ? .whole : .body
        if phase == .body {
            began = EventLoop.now
            windowBytes = 0
        }
        if phase == .body, head.expectsContinue, !bytesFollow {
            // Nothing is in the way: answers are written before the next request is read.
            output = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            flush()
        }
    }

    private func takeBody(_ bytes: Span<UInt8>) throws(Refusal) -> Int {
        // Taken out and put back, so that the body has one owner and grows in place.
        guard var reception = exchange?.body else { return 0 }
        exchange?.body = nil
        let used = try reception.take(bytes)
        if reception.isComplete {
            phase = .whole
        } else {
            try charge(reception.bytes.count)
        }
        exchange?.body = reception
        return used
    }

    /// Counts a body that is on its way against what all bodies may take together.
    private func charge(_ count: Int) throws(Refusal) {
        let sum = setting.occupancy.addBodyBytes(count - chargedBytes)
        chargedBytes = count
        guard sum <= setting.limits.bodiesBytesMax else {
            throw Refusal(
                status: .serviceUnavailable, text: "too many bodies are being received", retryAfterSeconds: 5)
        }
    }

    private func uncharge() {
        if chargedBytes != 0 { _ = setting.occupancy.addBodyBytes(-chargedBytes) }
        chargedBytes = 0
    }

    private func discard() {
        guard let raw = descriptor?.raw else { return }
        switch hall.loop.read(raw, { _, end in end }) {
        case .more, .nothing: break
        case .end, .failed: close()
        }
    }
}

// Answering.
extension Connection {
    private func answer() {
        guard let request = exchange?.request(peer: peer) else { return }
        self.exchange?.body = nil  // The handler is its only owner now.
        guard let exchange else { return }
        phase = .answering
        let task = Task.immediate {
            await withTaskExecutorPreference(hall.loop) { await answer(request, exchange) }
        }
        // Most handlers have finished by now; only one that waits can be cancelled.
        if phase == .answering { handling = task }
    }

    private func answer(_ request: Request, _ exchange: Exchange) async {
        let context = exchange.context(setting.journal)
        var response: Response
        do {
            response = try await exchange.matched.handler(request, context)
        } catch let error as HTTPError {
            let text = error.text.hasSuffix("\n") ? String(error.text.dropLast()) : error.text
            response = setting.routes.refused(error.status, text, exchange.head.path)
            for field in error.headers { response.headers.set(field.name, field.value) }
        } catch {
            if phase == .answering {
                context.journal.error(
                    "a request failed", ["route": .string(context.route), "error": JournalValue(error)])
            }
            response = setting.routes.refused(
                .internalServerError, "internal error; the request id tells the operator more", exchange.head.path)
        }
        if let allow = exchange.matched.allow { response.headers.set("Allow", allow) }
        await write(response, exchange)
    }

    private func write(_ response: Response, _ exchange: Exchange) async {
        guard phase == .answering else { return }
        let head = exchange.head
        self.exchange?.status = response.status.code
        var closes = isStopping || !head.keepsAlive
        let framing: ResponseWriter.Framing
        var body: [UInt8] = []
        var pull: (@Sendable () async throws -> [UInt8]?)?
        switch response.body {
        case .empty: framing = response.status.hasNoBody ? .none : .length(0)
        case .bytes(let bytes):
            framing = response.status.hasNoBody ? .none : .length(bytes.count)
            if !response.status.hasNoBody, head.method != .head { body = bytes }
        case .stream(let source):
            framing = response.status.hasNoBody ? .none : head.isVersion10 ? .untilClose : .chunked
            if head.isVersion10 { closes = true }
            if !response.status.hasNoBody, head.method != .head { pull = source }
        }
        next = closes ? .close : .request
        output = ResponseWriter.bytes(
            response, framing: framing, date: setting.date.text(setting.clock.now), requestID: exchange.requestID,
            closes: closes, isVersion10: head.isVersion10, roomFor: body.count)
        self.exchange?.bytesOut = body.count
        output.append(contentsOf: body)
        if let pull {
            await write(pull, isChunked: framing == .chunked)
        } else {
            flush()
            if output.isEmpty { finish() }
        }
    }

    /// Writes a stream: a piece is asked for when the last one is out.
    private func write(_ pull: @Sendable () async throws -> [UInt8]?, isChunked: Bool) async {
        do {
            while let piece = try await pull() {
                guard phase == .answering else { return }
                if piece.isEmpty { continue }
                exchange?.bytesOut += piece.count
                if isChunked { output.write(String(piece.count, radix: 16) + "\r\n") }
                output.append(contentsOf: piece)
                if isChunked { output.write("\r\n") }
                guard await drained() else { return }
            }
        } catch {
            exchange?.context(setting.journal).journal.error(
                "an answer was broken off", ["error": JournalValue(error)])
            close()
            return
        }
        guard phase == .answering else { return }
        if isChunked { output.write("0\r\n\r\n") }
        guard await drained(), phase == .answering else { return }
        finish()
    }

    /// Waits until the output has been taken by the kernel; false when the connection is gone.
    private func drained() async -> Bool {
        flush()
        if phase == .closed { return false }
        if output.isEmpty { return true }
        return await withCheckedContinuation { drainWaiter = $0 }
    }

    private func flush() {
        guard let raw = descriptor?.raw, !output.isEmpty else { return }
        switch Socket.write(raw, output.span.extracting(outputSent..<output.count)) {
        case .failed: close()
        case .bytes(let count):
            outputSent += count
            if outputSent < output.count {
                if watch?.interest.contains(.write) == false {
                    began = EventLoop.now
                    windowBytes = outputSent
                }
                watch?.change(.write)
                return
            }
            output = []
            outputSent = 0
            let wasBlocked = watch?.interest.contains(.write) == true
            if wasBlocked { watch?.change(phase == .answering ? [] : .read) }
            if let waiter = drainWaiter {
                drainWaiter = nil
                waiter.resume(returning: true)
            } else if wasBlocked, phase == .answering {
                finish()
            }
        }
    }

    /// The answer is out: on to the next request, or to the end.
    private func finish() {
        if let exchange { setting.note(exchange) }
        exchange = nil
        handling = nil
        uncharge()
        switch next {
        case .close: close()
        case .linger: linger()
        case .request:
            phase = .head
            began = EventLoop.now
            if isStopping, pending.isEmpty {
                close()
            } else {
                watch?.change(.read)
                pump()
            }
        }
    }

    /// Answers without a handler and closes.
    private func refuse(_ refusal: Refusal) {
        uncharge()
        pending = []
        var response = setting.routes.refused(
            refusal.status, refusal.text, refusal.path ?? exchange?.head.path)
        if let seconds = refusal.retryAfterSeconds { response.headers.add("Retry-After", String(seconds)) }
        let requestID = exchange?.requestID ?? setting.ids.next()
        setting.note(refusal, direct, requestID: requestID)
        exchange = nil
        guard case .bytes(let body) = response.body else { return }
        phase = .answering
        next = .linger
        output.append(
            contentsOf: ResponseWriter.bytes(
                response, framing: .length(body.count), date: setting.date.text(setting.clock.now),
                requestID: requestID, closes: true, isVersion10: false, roomFor: body.count))
        output.append(contentsOf: body)
        flush()
        if output.isEmpty, phase == .answering { finish() }
    }
}

// Ending.
extension Connection {
    /// Says that nothing more will come and reads on for a while: a close with unread bytes would
    /// make the peer's system throw the answer away.
    private func linger() {
        guard let raw = descriptor?.raw else { return }
        phase = .lingering
        began = EventLoop.now
        pending = []
        Socket.shutDownWriting(raw)
        watch?.change(.read)
    }

    private func close() {
        guard phase != .closed else { return }
        if let exchange, phase == .answering { setting.note(exchange, isBrokenOff: true) }
        phase = .closed
        watch?.cancel()
        watch = nil
        descriptor = nil
        exchange = nil
        pending = []
        output = []
        uncharge()
        handling?.cancel()
        handling = nil
        drainWaiter?.resume(returning: false)
        drainWaiter = nil
        let id = ObjectIdentifier(self)
        hall.assumeIsolated { $0.forget(id) }
    }

    /// Looks whether the client took too long. Called a few times within the shortest limit.
    func check(now: UInt64) {
        let limits = setting.limits
        let age = Duration.nanoseconds(Int64(clamping: now &- min(now, began)))
        switch phase {
        case .head where pending.isEmpty: if age > limits.idleTime { close() }
        case .head: if age > limits.headerTime { refuse(.slow) }
        case .body:
            if !keepsPace(exchange?.body?.bytes.count ?? 0, age: age, now: now) { refuse(.slow) }
        case .answering:
            guard !output.isEmpty, !keepsPace(outputSent, age: age, now: now) else { return }
            setting.counters.add("http_slow_readers_total", help: "Connections closed because an answer was not read.")
            close()
        case .lingering: if age > limits.lingerTime { close() }
        case .whole, .closed: break
        }
    }

    /// Whether a transfer keeps the minimum rate: in each window of the grace time, so that a quick
    /// start buys no time to stand still later.
    private func keepsPace(_ bytes: Int, age: Duration, now: UInt64) -> Bool {
        let window = setting.limits.transferGrace
        guard age > window else { return true }
        let due = window.wholeMilliseconds * Int64(setting.limits.bytesPerSecondMin) / 1000
        guard Int64(bytes - windowBytes) >= max(1, due) else { return false }
        began = now
        windowBytes = bytes
        return true
    }

    /// Ends after the request that runs or has begun to arrive; at once when there is none.
    func stopSoon() {
        isStopping = true
        if phase == .head, pending.isEmpty { close() }
    }

    /// Ends now, whatever runs.
    func stopNow() { close() }
}

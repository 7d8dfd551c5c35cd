import Journal
import Loop
import Time

/// Going out: from a whole request to the last byte of its answer.
extension Connection {
    func answer() {
        guard let request = exchange?.request(peer: peer) else { return }
        self.exchange?.body = nil  // The handler is its only owner now.
        guard let exchange else { return }
        if exchange.matched.hasSecretBody { hall.loop.wipeScratch() }
        phase = .answering
        let task = Task.immediate {
            await withTaskExecutorPreference(hall.loop) { await answer(request, exchange) }
        }
        // Most handlers have finished by now; only one that waits can be cancelled.
        if phase == .answering { handling = task }
    }

    func answer(_ request: Request, _ exchange: Exchange) async {
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
        if exchange.matched.hasSecretBody { request.body.wipe() }
        if let allow = exchange.matched.allow { response.headers.set("Allow", allow) }
        await write(response, exchange)
    }

    func write(_ response: Response, _ exchange: Exchange) async {
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
    func write(_ pull: @Sendable () async throws -> [UInt8]?, isChunked: Bool) async {
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

    func flush() {
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
    func refuse(_ refusal: Refusal) {
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

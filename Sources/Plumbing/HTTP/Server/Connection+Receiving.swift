import Loop
import Time

/// Coming in: from bytes to a whole request.
extension Connection {
    func read() {
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
    func pump() {
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
                if used > 0, exchange?.matched.hasSecretBody == true { bytes.wipe() }
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
        hasAsked = true
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

    func uncharge() {
        if chargedBytes != 0 { _ = setting.occupancy.addBodyBytes(-chargedBytes) }
        chargedBytes = 0
    }

    func discard() {
        guard let raw = descriptor?.raw else { return }
        switch hall.loop.read(raw, { _, end in end }) {
        case .more, .nothing: break
        case .end, .failed: close()
        }
    }
}

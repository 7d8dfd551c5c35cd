import HTTP
import Journal
import Loop
import Support
import Testing

/// What slow, silent and greedy clients can take from the others: next to nothing.
@Suite struct SlowClientTests {
    private var quick: Limits {
        var limits = Limits()
        limits.headerTime = .milliseconds(200)
        limits.transferGrace = .milliseconds(200)
        // On a busy machine the first byte may come long after the connection: what is to be closed as idle says so.
        limits.idleTime = .seconds(60)
        // Long enough for a busy machine to read the last answer.
        limits.lingerTime = .seconds(10)
        return limits
    }
    private static let hello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `BL-124: three hundred slow senders hold up nobody and are all closed`() async throws {
        var limits = quick
        limits.headerTime = .seconds(4)
        limits.transferGrace = .seconds(4)
        let server = try await RunningServer(Echo.routes, limits: limits)
        var slow: [RawClient] = []
        for number in 0..<300 {
            let client = try await server.connect()
            try await client.send(
                number % 2 == 0
                    ? "POST /echo HTTP/1.1\r\nHos" : "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx"
            )
            slow.append(client)
        }
        let start = ContinuousClock.now
        #expect(try await server.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok").text == "ok")
        #expect(ContinuousClock.now - start < .seconds(2))
        // A byte now and then buys no more time.
        for client in slow { try await client.send("t") }
        for client in slow {
            let answer = String(decoding: try await client.receiveAll(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
        }
        #expect(try await server.ask(Self.hello).status == 200)
    }

    @Test func `a header must be complete in its time, however steadily it comes`() async throws {
        let server = try await RunningServer(Echo.routes, limits: quick)
        let client = try await server.connect()
        try await client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ")
        let dripping = Task {
            while true {
                try await client.send("x")
                try await TestLoops.client.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await client.response().status == 408)
        dripping.cancel()
    }

    @Test func `a body must keep a minimum rate`() async throws {
        var limits = quick
        limits.bytesPerSecondMin = 1_000_000
        let server = try await RunningServer(Echo.routes, limits: limits)
        let client = try await server.connect()
        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
        let dripping = Task {
            while true {
                try await client.send("xxxxxxxxxx")
                try await TestLoops.client.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await client.response().status == 408)
        dripping.cancel()
    }

    @Test func `a silent connection is closed without a word, before and between requests`() async throws {
        var limits = quick
        limits.idleTime = .seconds(3)
        let server = try await RunningServer(Echo.routes, limits: limits)
        let silent = try await server.connect()
        #expect(try await silent.receiveAll().isEmpty)
        let once = try await server.connect()
        try await once.send(Self.hello)
        _ = try await once.response()
        #expect(try await once.receiveAll().isEmpty)
    }

    @Test func `who does not read the answer is closed`() async throws {
        let server = try await RunningServer(
            [
                Route(.get, "/large") { _, _ in
                    Response(.ok, body: .bytes([UInt8](repeating: 0x2E, count: 20_000_000)))
                }
            ], limits: quick)
        let socket = try Socket.connect(server.address)
        let request = Array("GET /large HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        try await TestLoops.client.sleep(for: .milliseconds(20))
        #expect(Socket.write(socket.descriptor.raw, request.span) == .bytes(request.count))
        while server.counters.value("http_slow_readers_total") == 0 {
            try await TestLoops.client.sleep(for: .milliseconds(20))
        }
    }

    @Test func `connections beyond the limit are told to come back`() async throws {
        var limits = Limits()
        limits.connectionsMax = 2
        let server = try await RunningServer(Echo.routes, limits: limits)
        var open: [RawClient] = []
        for _ in 0..<2 {
            let client = try await server.connect()
            try await client.send(Self.hello)
            #expect(try await client.response().status == 200)
            open.append(client)
        }
        let third = try await server.connect()
        let refused = try await third.response()
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        await open[0].close()
        // The server learns of the close when it reads it.
        while true {
            let next = try await server.connect()
            try? await next.send(Self.hello)
            let answer = try await next.response()
            await next.close()
            if answer.status == 200 { break }
        }
    }

    @Test func `bodies together have a limit, and the next one comes through when they are gone`() async throws {
        var limits = Limits()
        limits.bodiesBytesMax = 100_000
        let server = try await RunningServer(Echo.routes, limits: limits)
        let first = try await server.connect()
        try await first.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n")
        try await first.send([UInt8](repeating: 0x61, count: 80_000))
        let second = try await server.connect()
        let third = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
        try await second.send(third)
        try await second.send([UInt8](repeating: 0x61, count: 150_000))
        let refused = try await second.response()
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] == "5")
        try await first.send([UInt8](repeating: 0x61, count: 10_000))
        #expect(try await first.response().body.count == 90_000)
        #expect(try await server.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok").text == "ok")
    }

    @Test func `BL-125: a large genuine body passes`() async throws {
        let server = try await RunningServer(Echo.routes)
        let body = String(repeating: "x", count: 190_000)
        let response = try await server.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 190000\r\n\r\n\(body)")
        #expect(response.status == 200)
        #expect(response.body.count == 190_000)
    }

    @Test func `BL-125: an announced length above the limit is 413 before a byte of it is read`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n")
        #expect(try await client.response().status == 413)
    }

    @Test func `BL-125: the answer reaches a client that sends all of its large body first`() async throws {
        let server = try await RunningServer(Echo.routes, limits: quick)
        let client = try await server.connect()
        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
        try await client.send([UInt8](repeating: 0x61, count: 5_000_000))
        #expect(try await client.response().status == 413)
    }

    @Test func `BL-125: chunks without end are cut off soon after the limit`() async throws {
        var limits = Limits()
        limits.lingerTime = .milliseconds(200)
        let server = try await RunningServer(Echo.routes, limits: limits)
        let client = try await server.connect()
        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x10000) + Array("\r\n".utf8)
        // One chunk beyond the limit is enough: the answer does not wait for the end.
        for _ in 0...limits.bodyBytesMax / 0x10000 { try await client.send(chunk) }
        #expect(try await client.response().status == 413)
        for round in 1...10_000 {
            do { try await client.send(chunk) } catch { return }
            if round % 100 == 0 { try await TestLoops.client.sleep(for: .milliseconds(20)) }
        }
        Issue.record("the body never ended, and neither did the connection")
    }

    @Test func `BL-124, BL-125: the limits are the promised ones unless something else is said`() {
        let limits = Limits()
        #expect(limits.headerBytesMax == 32 * 1024 && limits.headerFieldsMax == 100)
        #expect(limits.bodyBytesMax == 1088 * 1024 && limits.connectionsMax == 10_000)
        #expect(limits.headerTime == .seconds(10) && limits.idleTime == .seconds(60))
        // A byte every five seconds falls below the rate within the minute.
        #expect(limits.bytesPerSecondMin >= 1 && limits.transferGrace <= .seconds(30))
    }

    @Test func `a body that comes quickly at first may not stand still later`() async throws {
        let server = try await RunningServer(Echo.routes, limits: quick)
        let client = try await server.connect()
        try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
        try await client.send([UInt8](repeating: 0x61, count: 400_000))
        #expect(try await client.response().status == 408)
    }
}

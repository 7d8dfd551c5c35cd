import HTTP
import Journal
import Loop
import Support
import Testing

/// What a well-behaved client may do with a connection.
@Suite struct ConnectionTests {
    @Test func `requests follow each other on one connection`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        for number in 1...3 {
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\nnumber\(number)")
            let response = try await client.response()
            #expect(response.statusLine == "HTTP/1.1 200 OK")
            #expect(response.text == "number\(number)")
            #expect(response["Connection"] == nil)
            #expect(response["Date"]?.hasSuffix("GMT") == true)
        }
    }

    @Test func `requests sent ahead are answered in their order`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        let count = 500
        let all = (0..<count).map { number in
            let body = "n\(number)"
            return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }.joined()
        async let sending: Void = client.send(all)
        for number in 0..<count { #expect(try await client.response().text == "n\(number)") }
        try await sending
    }

    @Test func `a request may come byte by byte`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        for byte in "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8 {
            try await client.send([byte])
        }
        #expect(try await client.response().text == "abc")
    }

    @Test func `BL-068: who waits for 100 Continue gets it at once`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\nExpect: 100-continue\r\n\r\n")
        #expect(
            try await client.receive(until: "\r\n\r\n", within: .seconds(5)) == "HTTP/1.1 100 Continue\r\n\r\n")
        let body = [UInt8](repeating: 0x61, count: 20_000)
        try await client.send(body)
        let response = try await client.response()
        #expect(response.status == 200)
        #expect(response.body == body)
    }

    @Test func `BL-068: a body that would be too large gets 413 and no 100`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\nExpect: 100-continue\r\n\r\n")
        let response = try await client.response()
        #expect(response.status == 413)
        #expect(try await client.receiveAll().isEmpty)
    }

    @Test func `BL-069: a chunked body is put together, whatever pieces it comes in`() async throws {
        let server = try await RunningServer(Echo.routes)
        let body = Array("{\"signedPayload\":\"\(String(repeating: "x", count: 500))\"}".utf8)
        let rest = String(decoding: body[8...], as: UTF8.self)
        let size = String(body.count - 8, radix: 16, uppercase: true)
        let first = String(decoding: body[0..<1], as: UTF8.self)
        let second = String(decoding: body[1..<8], as: UTF8.self)
        let wire =
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nTrailer: X-Check\r\n\r\n"
            + "1\r\n\(first)\r\n7;a=b\r\n\(second)\r\n\(size)\r\n\(rest)\r\n0\r\nX-Check: 1\r\n\r\n"
        // Split inside each size line, and everywhere else.
        for step in [1, 3, 97, 100_000] {
            let client = try await server.connect()
            let bytes = Array(wire.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                try await client.send(Array(bytes[start..<min(start + step, bytes.count)]))
            }
            let response = try await client.response()
            #expect(response.status == 200)
            #expect(response.body == body)
            await client.close()
        }
    }

    @Test func `a trailer does not become a header, and the next request is intact`() async throws {
        let server = try await RunningServer(
            Echo.routes + [Route(.post, "/header") { request, _ in .text(request.headers["X-Late"] ?? "none") }])
        let client = try await server.connect()
        try await client.send(
            "POST /header HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: yes\r\n\r\n"
                + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response().text == "none")
        #expect(try await client.response().text == "hello")
    }

    @Test func `BL-070: HEAD is GET without the body, and the connection goes on`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try await client.response(toHead: true)
        #expect(head.status == 200)
        #expect(head["Content-Length"] == "5")
        let get = try await client.response()
        #expect(get.status == 200)
        #expect(get.text == "hello")
    }

    @Test func `HEAD of a stream pulls nothing`() async throws {
        let pulls = Counter()
        let server = try await RunningServer([
            Route(.get, "/stream") { _, _ in
                Response(
                    .ok,
                    body: .stream {
                        _ = pulls.next()
                        return nil
                    })
            }
        ])
        let response = try await server.ask("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n", toHead: true)
        #expect(response.status == 200)
        #expect(pulls.value == 0)
    }

    @Test func `an answer of HTTP/1.0 ends with the connection, unless it asks to stay`() async throws {
        let server = try await RunningServer(Echo.routes)
        let closing = try await server.connect()
        try await closing.send("GET /hello HTTP/1.0\r\n\r\n")
        #expect(try await closing.response()["Connection"] == "close")
        #expect(try await closing.receiveAll().isEmpty)

        let staying = try await server.connect()
        for _ in 0..<2 {
            try await staying.send("GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(try await staying.response()["Connection"] == "keep-alive")
        }
    }

    @Test func `Connection: close is obeyed`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send(
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response()["Connection"] == "close")
        #expect(try await client.receiveAll().isEmpty)
    }

    @Test func `a client that stops sending still gets its answer`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        await client.endSending()
        #expect(try await client.response().text == "hello")
        #expect(try await client.receiveAll().isEmpty)
    }

    @Test func `one empty line before a request is forgiven, two are not`() async throws {
        let server = try await RunningServer(Echo.routes)
        #expect(try await server.ask("\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        #expect(try await server.ask("\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n").status == 400)
    }

    @Test func `an absolute target is understood`() async throws {
        let server = try await RunningServer(Echo.routes)
        #expect(try await server.ask("GET http://a/hello HTTP/1.1\r\nHost: a\r\n\r\n").text == "hello")
        #expect(try await server.ask("GET HTTP://a HTTP/1.1\r\nHost: a\r\n\r\n").text == "home")
    }

    @Test func `a stream comes in chunks, and whole to HTTP/1.0`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try await client.response()
        #expect(response.text == "piece 1\npiece 2\npiece 3\n")
        #expect(response.chunks == 3)
        #expect(try await client.response().text == "hello")
        let old = try await server.ask("GET /stream HTTP/1.0\r\n\r\n")
        #expect(old["Transfer-Encoding"] == nil)
        #expect(old.text == "piece 1\npiece 2\npiece 3\n")
    }

    @Test func `a stream that fails breaks off before its end`() async throws {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        try await client.send("GET /broken-stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.receive(until: "\r\n\r\n")
        let rest = String(decoding: try await client.receiveAll(), as: UTF8.self)
        #expect(rest == "4\r\nhalf\r\n")
    }

    @Test func `a stream waits for a slow reader and holds one piece at a time`() async throws {
        let pulls = Counter()
        let piece = [UInt8](repeating: 0x2E, count: 64 * 1024)
        let server = try await RunningServer([
            Route(.get, "/endless") { _, _ in Response(.ok, body: .stream { pulls.next() <= 100 ? piece : nil }) }
        ])
        let client = try await server.connect()
        try await client.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try await client.response()
        #expect(response.body.count == 100 * piece.count)
    }

    @Test func `no body and no length after 204`() async throws {
        let server = try await RunningServer(Echo.routes)
        let response = try await server.ask("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.status == 204)
        #expect(response["Content-Length"] == nil)
    }

    @Test func `a handler cannot smuggle a header into its answer`() async throws {
        let server = try await RunningServer(Echo.routes)
        let response = try await server.ask("GET /see HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.status == 303)
        #expect(response["X-Injected"] == nil)
        #expect(response["Location"] == "/hello  X-Injected: yes")
    }

    @Test func `an error on purpose is told, an accident is not`() async throws {
        let server = try await RunningServer(Echo.routes)
        let purpose = try await server.ask("GET /on-purpose HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(purpose.status == 409)
        #expect(purpose.text == "not now\n")
        #expect(purpose["Retry-After"] == "7")
        let accident = try await server.ask("GET /by-accident HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(accident.status == 500)
        #expect(!accident.text.contains("secret"))
        let id = try #require(accident["X-Request-Id"])
        #expect(server.journal.contains { $0.contains("\"error\"") && $0.contains(id) && $0.contains("/by-accident") })
    }

    @Test func `each request has an id of its own`() async throws {
        let server = try await RunningServer(Echo.routes)
        var ids: Set<String> = []
        for _ in 0..<20 {
            ids.insert(try await server.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")["X-Request-Id"] ?? "")
        }
        #expect(ids.count == 20 && !ids.contains(""))
    }

    @Test func `a Unix socket serves as a port does`() async throws {
        let path = "/tmp/desk-\(UInt32.random(in: .min ... .max)).sock"
        let server = try await RunningServer(Echo.routes, listen: .init("unix:\(path)"))
        #expect(try await server.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").text == "hello")
        #expect(try await server.ask("GET /who HTTP/1.1\r\nHost: a\r\n\r\n").text == "unix plain")
        await server.server.stop(within: .seconds(5))
        await #expect(throws: (any Error).self) { _ = try await server.connect() }
    }
}

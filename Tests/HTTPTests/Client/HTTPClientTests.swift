import HTTP
import Journal
import Loop
import Support
import Testing
import Time

@Suite(.timeLimit(.minutes(10)))
struct `HTTP client` {
    let client = HTTPClient(name: "test", options: .init(), journal: .silent, counters: Counters())

    static func request(
        _ url: String, _ method: HTTP.Method = .get, body: String? = nil, total: Duration = .seconds(20)
    ) -> ClientRequest {
        ClientRequest(method: method, url: url, body: body.map { Array($0.utf8) }, totalTimeout: total)
    }

    static func failure(_ client: HTTPClient, _ request: ClientRequest) async -> HTTPClientError? {
        do {
            _ = try await client.send(request)
            return nil
        } catch { return error }
    }

    @Test func `a request arrives as it was built, and the answer comes back whole`() async throws {
        let server = try ScriptedServer(steps: [
            .answer(418, fields: [("X-One", "1"), ("x-two", "  2"), ("X-Two", "zwei")], body: "körper")
        ])
        var request = Self.request("\(server.url)/a/../b%2Fc?d=e", .put, body: "{\"a\":1}")
        request.headers.set("Content-Type", "application/json")
        request.headers.set("X-Empty", "")
        let response = try await client.send(request)
        #expect(response.status == 418)
        #expect(String(decoding: response.body, as: UTF8.self) == "körper")
        #expect(response.headers.all("X-Two") == ["2", "zwei"])
        let seen = try #require(server.received.first)
        #expect(seen.method == "PUT" && seen.target == "/a/../b%2Fc?d=e" && seen.text == "{\"a\":1}")
        #expect(seen.field("Content-Type") == "application/json")
        #expect(seen.field("X-Empty") == "")
        #expect(seen.field("User-Agent") == "refund-desk")
        #expect(seen.field("Expect") == nil && seen.field("Accept-Encoding") == nil)
    }

    @Test(arguments: [HTTP.Method.get, .head, .post, .put, .patch, .delete, .other("PURGE")])
    func `every method is sent by its name, with a length where a body is usual`(method: HTTP.Method) async throws {
        let server = try ScriptedServer(steps: [.raw("HTTP/1.1 204 No Content\r\n\r\n", thenClose: false)])
        let response = try await client.send(Self.request(server.url, method))
        #expect(response.status == 204 && response.body.isEmpty)
        let seen = try #require(server.received.first)
        #expect(seen.method == method.name && seen.body.isEmpty)
        #expect((seen.field("Content-Length") == "0") == [.post, .put, .patch].contains(method))
        #expect(seen.field("Content-Type") == nil)
    }

    @Test func `BL-026: 202 with length 0 and no type is an answer like any other`() async throws {
        let server = try ScriptedServer(steps: [.answer(202)])
        let response = try await client.send(Self.request(server.url, .put, body: "{}"))
        #expect(response.status == 202 && response.body.isEmpty && response.headers["Content-Type"] == nil)
        #expect(server.received.count == 1)
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect is an answer and is not followed`(status: Int) async throws {
        let server = try ScriptedServer(steps: [.answer(status, fields: [("Location", "/elsewhere")])])
        let response = try await client.send(Self.request(server.url))
        #expect(response.status == status && response.headers["Location"] == "/elsewhere")
        #expect(server.received.count == 1)
    }

    @Test func `an interim answer is passed over`() async throws {
        let server = try ScriptedServer(steps: [
            .raw("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        ])
        let response = try await client.send(Self.request(server.url))
        #expect(response.status == 200 && response.headers["X-Early"] == nil)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let step: ScriptedServer.Step
        let kind: HTTPClientError.Kind
        init(_ name: String, _ step: ScriptedServer.Step, _ kind: HTTPClientError.Kind) {
            (testDescription, self.step, self.kind) = (name, step, kind)
        }
    }

    @Test(arguments: [
        Fault("closed without an answer", .close, .reset),
        Fault("reset", .reset, .reset),
        Fault("closed inside the body", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .reset),
        Fault("closed inside a chunk", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), .reset),
        Fault("silent", .silence, .timeout),
        Fault("slower than allowed", .after(.seconds(5), .answer(200)), .timeout),
        Fault("no HTTP", .raw("220 ready\r\n"), .malformed),
        Fault("longer than allowed", .answer(200, body: String(repeating: "x", count: 1001)), .tooLarge),
        Fault(
            "longer than allowed, without a length",
            .raw("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1001)), .tooLarge),
        Fault(
            "endless fields", .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 300) + "\r\n"),
            .tooLarge),
    ])
    func `a fault after the request was written leaves open whether it arrived`(fault: Fault) async throws {
        let server = try ScriptedServer(steps: [fault.step])
        var request = Self.request(server.url, .put, body: "{}", total: .milliseconds(500))
        request.responseBytesMax = 1000
        let error = try #require(await Self.failure(client, request))
        #expect(error.kind == fault.kind, "\(error)")
        #expect(error.arrival == .unknown)
        #expect(server.received.count == 1)
    }

    @Test(arguments: [
        "", "no url", "ftp://127.0.0.1/", "file:///etc/hostname", "http://", "http://user:pw@127.0.0.1/", "http://a b/",
        "http://127.0.0.1/\u{7f}", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1:99999/", "//127.0.0.1/",
        "http://127.0.0.1/" + String(repeating: "a", count: 9000),
    ])
    func `what is no http or https URL is not called`(url: String) async throws {
        let error = try #require(await Self.failure(client, Self.request(url)))
        #expect(error.kind == .badRequest && error.arrival == .notReceived)
    }

    @Test func `a refused connection was certainly not received`() async throws {
        let listening = try Socket.listen(.ip(try #require(IPAddress("127.0.0.1")), port: 0))
        let port = try #require(listening.address.port)
        _ = consume listening
        let error = try #require(await Self.failure(client, Self.request("http://127.0.0.1:\(port)/secret/path")))
        #expect(error.kind == .connect && error.arrival == .notReceived)
        #expect(!error.text.contains("secret"))
    }

    @Test func `a name without an address was certainly not received`() async throws {
        var request = Self.request("http://nowhere.invalid/", total: .seconds(3))
        request.connectTimeout = .seconds(1)
        let error = try #require(await Self.failure(client, request))
        // A silent name server is a connection that does not come in time.
        #expect([.resolve, .connect].contains(error.kind) && error.arrival == .notReceived)
    }

    @Test func `connections are kept and used again`() async throws {
        let server = try ScriptedServer(steps: [.answer(200, body: "a")])
        for _ in 0..<5 { _ = try await client.send(Self.request(server.url, .post, body: "x")) }
        #expect(server.received.count == 5 && server.connections == 1)
    }

    @Test func `a request that acts is not repeated by the library when a kept connection dies`() async throws {
        let server = try ScriptedServer(steps: [.answer(200), .close, .answer(200)])
        _ = try await client.send(Self.request(server.url, .put, body: "1"))
        let error = try #require(await Self.failure(client, Self.request(server.url, .put, body: "2")))
        #expect(error.kind == .reset && error.arrival == .unknown)
        #expect(server.received.map(\.text) == ["1", "2"])
    }

    @Test func `a request that only reads is repeated once on a new connection`() async throws {
        let server = try ScriptedServer(steps: [.answer(200), .close, .answer(200, body: "again")])
        _ = try await client.send(Self.request(server.url))
        let response = try await client.send(Self.request(server.url))
        #expect(String(decoding: response.body, as: UTF8.self) == "again")
        #expect(server.received.count == 3 && server.connections == 2)
    }

    @Test func `the deadline counts where it is earlier than the total time-out`() async throws {
        let server = try ScriptedServer(steps: [.silence])
        do {
            _ = try await client.send(
                Self.request(server.url, total: .seconds(3600)), until: .after(.milliseconds(100)))
            Issue.record("answered")
        } catch { #expect(error.kind == .timeout) }
    }

    @Test func `a cancelled call ends at once`() async throws {
        let server = try ScriptedServer(steps: [.silence])
        let client = client
        let task = Task { await Self.failure(client, Self.request(server.url, .put, body: "{}")) }
        _ = await server.received(count: 1)
        task.cancel()
        let error = try #require(await task.value)
        #expect(error.kind == .cancelled && error.arrival == .unknown)
    }

    @Test func `a call of a task that is cancelled already is not sent`() async throws {
        let server = try ScriptedServer(steps: [.answer(200)])
        let client = client
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate {}
            return await Self.failure(client, Self.request(server.url))
        }
        task.cancel()
        open.finish()
        let error = try #require(await task.value)
        #expect(error.kind == .cancelled && error.arrival == .notReceived)
        #expect(server.connections == 0)
    }

    @Test func `shutdown ends what runs and refuses what comes`() async throws {
        let server = try ScriptedServer(steps: [.silence])
        let client = client
        let task = Task { await Self.failure(client, Self.request(server.url)) }
        _ = await server.received(count: 1)
        await client.shutdown()
        #expect(await task.value?.kind == .cancelled)
        let late = try #require(await Self.failure(client, Self.request(server.url)))
        #expect(late.kind == .shutDown && late.arrival == .notReceived)
        await client.shutdown()
    }

    @Test func `more calls than allowed end at once`() async throws {
        let server = try ScriptedServer(steps: [.silence])
        let client = HTTPClient(name: "small", options: .init(inFlightMax: 1), journal: .silent, counters: Counters())
        let first = Task { await Self.failure(client, Self.request(server.url)) }
        _ = await server.received(count: 1)
        let second = try #require(await Self.failure(client, Self.request(server.url)))
        #expect(second.kind == .busy && second.arrival == .notReceived)
        first.cancel()
        _ = await first.value
        #expect(server.received.count == 1)
    }

    @Test func `the caller goes on on its own loop`() async throws {
        let server = try ScriptedServer(steps: [.answer(200)])
        let loop = EventLoop.start(name: "caller", journal: .silent, counters: Counters())
        let client = client
        let (results, result) = AsyncStream.makeStream(of: Bool.self)
        loop.run {
            _ = await Self.failure(client, Self.request(server.url))
            result.yield(loop.isCurrent)
            result.finish()
        }
        for await isOnLoop in results { #expect(isOnLoop) }
    }

    @Test func `a proxy is used when it is set`() async throws {
        let proxy = try ScriptedServer(steps: [.answer(200, body: "by proxy")])
        let client = HTTPClient(
            name: "proxied", options: .init(proxy: proxy.url), journal: .silent, counters: Counters())
        let response = try await client.send(Self.request("http://somewhere.invalid/x"))
        #expect(String(decoding: response.body, as: UTF8.self) == "by proxy")
        #expect(proxy.received.first?.target == "http://somewhere.invalid/x")
    }

    @Test func `two hundred calls at a time all come back with their own answer`() async throws {
        let server = try ScriptedServer { request, _ in .answer(200, body: request.text) }
        let client = client
        let wrong = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let response = try? await client.send(Self.request(server.url, .post, body: "call \(number)"))
                    return response.map { String(decoding: $0.body, as: UTF8.self) } != "call \(number)"
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
        #expect(server.received.count == 200)
    }

    // MARK: side by side

    @Test func `without encryption a call does not wait for another's answer`() async throws {
        let server = try ScriptedServer { request, _ in request.target == "/slow" ? .silence : .answer(200) }
        let slow = Task { try? await client.send(Self.request("\(server.url)/slow", .post, body: "1")) }
        defer { slow.cancel() }
        _ = await server.received(count: 1)
        let answer = try await client.send(Self.request("\(server.url)/", .post, body: "2", total: .seconds(5)))
        #expect(answer.status == 200 && server.connections == 2)
    }

    @Test func `a call that got no connection while others held them all was not made, and is no fault of the server`()
        async throws
    {
        let narrow = HTTPClient(
            name: "narrow", options: .init(connectionsPerHostMax: 1), journal: .silent, counters: Counters())
        let server = try ScriptedServer(steps: [.silence])
        let slow = Task { try? await narrow.send(Self.request("\(server.url)/slow", .post, body: "1")) }
        defer { slow.cancel() }
        _ = await server.received(count: 1)
        var late = Self.request("\(server.url)/late", .post, body: "2", total: .milliseconds(300))
        late.connectTimeout = .milliseconds(100)
        let error = try #require(await Self.failure(narrow, late))
        #expect(error.kind == .busy && error.arrival == .notReceived, "\(error)")
        #expect(server.received.count == 1)
    }
}

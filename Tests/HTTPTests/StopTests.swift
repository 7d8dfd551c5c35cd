import Dispatch
import Glibc
import HTTP
import Journal
import Loop
import Support
import Synchronization
import Testing
import Time

@Suite(.serialized) struct StopTests {
    /// Handlers that wait until the test lets them go.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())
        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiters.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }
        func open() {
            let waiters = state.withLock { state in
                state.isOpen = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    @Test func `BL-126: running and half-sent requests end, idle connections close, new ones are refused`() async throws
    {
        let gate = Gate()
        let arrived = AsyncStream.makeStream(of: Void.self)
        let path = "/tmp/desk-\(UInt32.random(in: .min ... .max)).sock"
        let server = try await RunningServer(
            [
                Route(.post, "/slow") { request, _ in
                    arrived.continuation.yield()
                    await gate.pass()
                    return .text("\(request.body.count)")
                }
            ], listen: .unix(path: path))
        let running = try await server.connect()
        try await running.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
        for await _ in arrived.stream { break }
        var half: [RawClient] = []
        for _ in 0..<20 {
            let client = try await server.connect()
            try await client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
            half.append(client)
        }
        let idle = try await server.connect()
        // The loops have seen what was sent when they answer someone who came later.
        for _ in 0..<4 { _ = try await server.ask("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n") }

        async let stopped: Void = server.server.stop(within: .seconds(20))
        #expect(try await idle.receiveAll().isEmpty)
        await #expect(throws: (any Error).self) { _ = try await server.connect() }
        for client in half { try await client.send("cd") }
        gate.open()
        let answer = try await running.response()
        #expect(answer.text == "2")
        #expect(answer["Connection"] == "close")
        for client in half { #expect(try await client.response().text == "4") }
        await stopped
    }

    @Test func `BL-126: what does not end in time is cut off`() async throws {
        let cancelled = Counter()
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = try await RunningServer([
            Route(.get, "/for-ever") { _, _ in
                arrived.continuation.yield()
                do {
                    try await TestLoops.client.sleep(for: .seconds(600))
                } catch {
                    _ = cancelled.next()
                    throw error
                }
                return .text("never")
            }
        ])
        let client = try await server.connect()
        try await client.send("GET /for-ever HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in arrived.stream { break }
        await server.server.stop(within: .milliseconds(50))
        #expect(try await client.receiveAll().isEmpty)
        while cancelled.value == 0 { await Task.yield() }
    }

    @Test func `a handler is cancelled when its client is gone`() async throws {
        let cancelled = AsyncStream.makeStream(of: Bool.self)
        let arrived = AsyncStream.makeStream(of: Void.self)
        let path = "/tmp/desk-\(UInt32.random(in: .min ... .max)).sock"
        let server = try await RunningServer(
            [
                Route(.get, "/for-ever") { _, _ in
                    arrived.continuation.yield()
                    do {
                        try await TestLoops.client.sleep(for: .seconds(600))
                    } catch {
                        cancelled.continuation.yield(error is CancellationError)
                    }
                    return .text("never")
                }
            ], listen: .init("unix:\(path)"))
        let client = try await server.connect()
        try await client.send("GET /for-ever HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in arrived.stream { break }
        await client.close()
        for await isCancellation in cancelled.stream {
            #expect(isCancellation)
            break
        }
        await server.server.stop(within: .seconds(5))
    }

    @Test func `what waits in the queue when it stops is answered, and not broken off`() async throws {
        let path = "/tmp/desk-\(UInt32.random(in: .min ... .max)).sock"
        let server = try await RunningServer([Route(.get, "/") { _, _ in .text("here") }], listen: .unix(path: path))
        // Nobody accepts while the first loop is held: the callers are the kernel's alone.
        let hold = DispatchSemaphore(value: 0)
        let held = AsyncStream.makeStream(of: Void.self)
        TestLoops.shared.all[0].post {
            held.continuation.yield()
            hold.wait()
        }
        for await _ in held.stream { break }
        var callers: [RawClient] = []
        for _ in 0..<40 {
            let caller = try await RawClient.connect(to: server.address)
            try await caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            callers.append(caller)
        }
        async let stopped: Void = server.server.stop(within: .seconds(20))
        hold.signal()
        for caller in callers { #expect(try await caller.response().text == "here") }
        await stopped
        await #expect(throws: (any Error).self) { _ = try await server.connect() }
    }

    @Test func `a socket that somebody else keeps open is taken over, and left open with what waits in it`()
        async throws
    {
        let path = "/tmp/desk-\(UInt32.random(in: .min ... .max)).sock"
        let raw = try Socket.listen(.unix(path: path)).takeDescriptor().release()
        defer { close(raw) }
        func serve(_ text: String) async throws -> Server {
            let server = Server(
                listen: .unix(path: "/nowhere"), inherited: [dup(raw)],
                routes: Router([Route(.get, "/") { _, _ in .text(text) }]),
                loops: TestLoops.shared, clock: .system, journal: .silent, counters: Counters())
            #expect(try await server.start() == .unix(path: path))
            return server
        }
        func ask() async throws -> RawClient {
            let client = try await RawClient.connect(to: .unix(path: path))
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        let first = try await serve("first")
        #expect(try await ask().response().text == "first")
        await first.stop(within: .seconds(5))
        // Between the two processes: nobody is refused.
        let between = try await ask()
        let second = try await serve("second")
        #expect(try await between.response().text == "second")
        await second.stop(within: .seconds(5))
        unsafe unlink(path)
    }

    @Test func `what is no socket that listens is not taken over`() throws {
        let file = unsafe open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(throws: SocketError.self) { _ = try Socket.adopt(file) }
    }
}

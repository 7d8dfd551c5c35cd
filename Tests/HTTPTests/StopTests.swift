import HTTP
import Loop
import Support
import Synchronization
import Testing

@Suite struct StopTests {
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
}

import HTTP
import Support
import Synchronization
import Testing

@Suite("A body that is a secret")
struct SecretBodyTests {
    private final class Kept: Sendable {
        let bodies = Mutex<[[UInt8]]>([])
    }

    /// What memory holds of the body when the answer is there.
    private func leftOver(secretBody: Bool, _ pieces: [String], fails: Bool = false) async throws -> [[UInt8]] {
        let kept = Kept()
        let route = Route(.post, "/password", secretBody: secretBody) { request, _ in
            // What no handler may do; it shares the bytes and copies none.
            kept.bodies.withLock { $0.append(request.body) }
            if fails { throw HTTPError(.conflict, "no") }
            return .text(String(decoding: request.body, as: UTF8.self))
        }
        let server = try await RunningServer([route])
        let client = try await server.connect()
        for piece in pieces { try await client.send(piece) }
        let response = try await client.response()
        #expect(response.status == (fails ? 409 : 200))
        if !fails { #expect(String(decoding: response.body, as: UTF8.self) == "password=hunter2") }
        await client.close()
        await server.server.stop(within: .seconds(5))
        return kept.bodies.withLock { $0 }
    }

    private static let head = "POST /password HTTP/1.1\r\nHost: a\r\n"
    private static let whole = head + "Content-Length: 16\r\n\r\npassword=hunter2"

    @Test(arguments: [
        [whole], [head + "Content-Length: 16\r\n\r\npassword", "=hunter2"],
        [head + "Transfer-Encoding: chunked\r\n\r\n8\r\npassword\r\n", "8\r\n=hunter2\r\n0\r\n\r\n"],
    ])
    func `is overwritten when its handler has returned`(pieces: [String]) async throws {
        #expect(try await leftOver(secretBody: true, pieces) == [[UInt8](repeating: 0, count: 16)])
    }

    @Test func `is overwritten when its handler failed`() async throws {
        let left = try await leftOver(secretBody: true, [Self.whole], fails: true)
        #expect(left == [[UInt8](repeating: 0, count: 16)])
    }

    @Test func `is told by its route: other bodies stay what they are`() async throws {
        #expect(try await leftOver(secretBody: false, [Self.whole]) == [Array("password=hunter2".utf8)])
    }
}

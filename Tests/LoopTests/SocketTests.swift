import Foundation
import Journal
import Loop
import Support
import Testing

@Suite struct SocketTests {
    @Test func `a port in use is an error that names the address`() throws {
        let any = try #require(SocketAddress("127.0.0.1:0"))
        let first = try Socket.listen(any)
        #expect(first.address.port != 0)
        do {
            _ = try Socket.listen(first.address)
            Issue.record("two sockets listen at one port")
        } catch {
            #expect("\(error)".contains("\(first.address)"))
        }
    }

    @Test func `a socket file of a process that died is replaced, one in use is not`() throws {
        let path = NSTemporaryDirectory() + "desk-\(UUID().uuidString.prefix(8)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let address = SocketAddress.unix(path: path)
        do { _ = try Socket.listen(address) }  // Closed here, but its file stays.
        #expect(FileManager.default.fileExists(atPath: path))
        let second = try Socket.listen(address)
        #expect(second.address == address)
        #expect(throws: SocketError.self) { _ = try Socket.listen(address) }
    }

    @Test func `a path that is too long for a socket is an error`() {
        #expect(throws: SocketError.self) {
            _ = try Socket.listen(.unix(path: "/tmp/" + String(repeating: "x", count: 200)))
        }
    }

    @Test func `nobody at a socket is an error, not a wait`() async throws {
        let path = NSTemporaryDirectory() + "desk-\(UUID().uuidString.prefix(8)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        do { _ = try Socket.listen(.unix(path: path)) }  // Closed here, but its file stays.
        await #expect(throws: SocketError.self) { _ = try await RawClient.connect(to: .unix(path: path)) }
    }
}

import Foundation
import Glibc
import Loop

/// A PostgreSQL cluster of its own, for tests that stop and start the server.
struct Cluster: Sendable {
    private let folder: String
    let url: String

    private static let threads = Offload(name: "clusters", threads: 2, queueMax: 16)

    static func make() async throws -> Cluster {
        let folder = "/tmp/refund-desk-test-\(UUID().uuidString)"
        try await tool("start", folder)
        try await tool("url", folder, into: "\(folder)/url")
        let url = try String(contentsOfFile: "\(folder)/url", encoding: .utf8)
        return Cluster(folder: folder, url: url.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    func start() async throws { try await Cluster.tool("start", folder) }
    func stop() async throws { try await Cluster.tool("stop", folder) }

    func remove() async {
        try? await stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// By the shell and not by `Process`: that waits for every descendant, and the server lives on.
    private static func tool(_ command: String, _ folder: String, into file: String = "/dev/null") async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let line = "'\(root)/ops/postgres' \(command) '\(folder)' >'\(file)' </dev/null"
        let status = try await threads.run { unsafe system(line) }
        guard status == 0 else { throw Failed(command: command, status: status) }
    }

    private struct Failed: Error {
        let command: String
        let status: CInt
    }
}

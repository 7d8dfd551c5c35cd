import Foundation

/// A PostgreSQL cluster of its own, for tests that stop and start the server.
struct Cluster {
    private let folder: String
    let url: String

    init() throws {
        folder = "/tmp/refund-desk-test-\(UUID().uuidString)"
        url = try Cluster.tool(["start", folder])
    }

    func start() throws { _ = try Cluster.tool(["start", folder]) }
    func stop() throws { _ = try Cluster.tool(["stop", folder]) }

    func remove() {
        try? stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func tool(_ arguments: [String]) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appendingPathComponent("ops/postgres")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct Failed: Error { let status: Int32 }
}

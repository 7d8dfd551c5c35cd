import Foundation

/// A PostgreSQL cluster of its own, for tests that stop and start the server.
struct Cluster {
    private let folder: String
    let url: String

    init() throws {
        folder = "/tmp/refund-desk-test-\(UUID().uuidString)"
        try Cluster.tool(["start", folder])
        url = try Cluster.tool(["url", folder], reads: true)
    }

    func start() throws { try Cluster.tool(["start", folder]) }
    func stop() throws { try Cluster.tool(["stop", folder]) }

    func remove() {
        try? stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What stays alive, the server, would keep a pipe open for ever: only what ends at once is read.
    @discardableResult
    private static func tool(_ arguments: [String], reads: Bool = false) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appendingPathComponent("ops/postgres")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = reads ? output : FileHandle.nullDevice
        try process.run()
        let text = reads ? output.fileHandleForReading.readDataToEndOfFile() : Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private struct Failed: Error { let status: Int32 }
}

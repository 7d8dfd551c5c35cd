import Foundation
import Glibc
import Loop

/// A PostgreSQL server of a test's own, which it may stop and start.
package struct Cluster: Sendable {
    package let folder: String
    private let isDurable: Bool

    private static let threads = Offload(name: "clusters", threads: 2, queueMax: 16)

    /// By the shell and not by `Process`: that waits for every descendant, and the server lives on.
    private func ops(_ arguments: [String], into file: String = "/dev/null") async throws {
        let words = ([Checkout.path("ops/postgres")] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let line = "\(words) >'\(file)' </dev/null"
        let status = try await Self.threads.run { unsafe system(line) }
        guard status == 0 else { throw Stage.NoAnswer(description: "\(words) ended with \(status)") }
    }

    /// Starts it and gives its URL.
    @discardableResult
    package func start() async throws -> String {
        try await ops(["start", folder] + (isDurable ? ["--durable"] : []))
        try await ops(["url", folder], into: "\(folder)/url")
        return try String(contentsOfFile: "\(folder)/url", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package func stop() async throws { try await ops(["stop", folder]) }

    package static func with<R: Sendable>(
        durable: Bool = true, _ body: (Cluster, String) async throws -> R
    ) async throws -> R {
        let cluster = Cluster(
            folder: NSTemporaryDirectory() + "refund-desk-cluster-\(UUID().uuidString)", isDurable: durable)
        let url = try await cluster.start()
        let result: Result<R, any Error>
        do { result = .success(try await body(cluster, url)) } catch { result = .failure(error) }
        try await cluster.stop()
        try? FileManager.default.removeItem(atPath: cluster.folder)
        return try result.get()
    }
}

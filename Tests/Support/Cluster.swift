import Foundation

/// A PostgreSQL server of a test's own, which it may stop and start.
package struct Cluster: Sendable {
    package let folder: String
    private let isDurable: Bool

    private static let command = Checkout.path("ops/postgres")

    private func ops(_ arguments: String...) async throws -> String {
        let outcome = try await OutsideProgram.run(
            Self.command, arguments, environment: ProcessInfo.processInfo.environment)
        guard outcome.status == 0 else { throw Stage.NoAnswer(description: "ops/postgres: \(outcome.error)") }
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts it and gives its URL.
    @discardableResult
    package func start() async throws -> String {
        isDurable ? try await ops("start", folder, "--durable") : try await ops("start", folder)
    }

    package func stop() async throws { _ = try await ops("stop", folder) }

    package static func with<R: Sendable>(durable: Bool = true, _ body: (Cluster, String) async throws -> R)
        async throws -> R
    {
        let folder = NSTemporaryDirectory() + "/refund-desk-cluster-\(UUID().uuidString)"
        let cluster = Cluster(folder: folder, isDurable: durable)
        let url = try await cluster.start()
        let result: Result<R, any Error>
        do { result = .success(try await body(cluster, url)) } catch { result = .failure(error) }
        try await cluster.stop()
        try? FileManager.default.removeItem(atPath: folder)
        return try result.get()
    }
}

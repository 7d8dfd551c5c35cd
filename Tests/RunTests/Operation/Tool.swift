import Foundation
import Support

/// Programs that are no part of the product and read what `ops` holds: nginx, promtool, systemd's own checks.
enum Tool {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Where `ops/install test` unpacks programs whose packages would start a service.
    private static let folder = "/usr/local/lib/refund-desk-tools"

    static func path(_ name: String) throws -> String {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failed(description: "\(path) is missing: run ops/install test")
        }
        return path
    }

    /// Runs a program of the system by its name, with the search path alone unless more is given.
    static func run(
        _ words: String..., environment: [String: String] = [:]
    ) async throws -> OutsideProgram.Outcome {
        try await run(words, environment: environment)
    }

    static func run(_ words: [String], environment: [String: String] = [:]) async throws -> OutsideProgram.Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin"
        return try await OutsideProgram.run(
            "/usr/bin/env", words, environment: ["PATH": path, "HOME": "/tmp"].merging(environment) { $1 })
    }
}

/// A folder of its own for one test.
func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = "/tmp/desk operation \(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// A file of the checkout.
func checkoutText(_ path: String) throws -> String {
    try String(contentsOfFile: Checkout.path(path), encoding: .utf8)
}

/// The names of the files directly in a folder of the checkout, in order.
func checkoutFiles(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Checkout.path(folder)).sorted().map { folder + "/" + $0 }
}

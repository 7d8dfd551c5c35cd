import Foundation

/// A program of this package, run as a process of its own: what a person or a script would start.
package enum OutsideProgram {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let error: String
    }

    /// One start at a time: Foundation's crashed where threads started programs at once.
    static let starting = NSLock()

    package static func path(_ name: String) -> String { Product.programs.appending(path: name).path }

    /// Runs a program to its end.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = ""
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = environment
        // Files, not pipes: a program that another test starts at this moment inherits a pipe's other end,
        // and its end would then not be seen before that program's.
        let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, error, source) = (
            folder.appending(path: "output"), folder.appending(path: "error"), folder.appending(path: "input")
        )
        for file in [output, error] { try Data().write(to: file) }
        try Data(input.utf8).write(to: source)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        process.standardInput = try FileHandle(forReadingFrom: source)
        // Waiting in place would hold one of the few threads that all tests share.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try starting.withLock { try process.run() }
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Outcome(
            status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            error: String(decoding: try Data(contentsOf: error), as: UTF8.self))
    }
}

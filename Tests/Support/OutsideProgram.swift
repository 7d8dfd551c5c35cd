import Foundation

/// A program of this package, run as a process of its own: what a person or a script would start.
package enum OutsideProgram {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let error: String
    }

    package static func path(_ name: String) -> String { Product.programs.appending(path: name).path }

    /// Runs a program to its end.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: String = ""
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = environment
        let (output, error, source) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        process.standardInput = source
        async let printed = read(output)
        async let complained = read(error)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
                source.fileHandleForWriting.write(Data(input.utf8))
                try source.fileHandleForWriting.close()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return await Outcome(status: status, output: printed, error: complained)
    }

    /// On a thread of its own: reading a pipe blocks.
    private static func read(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            let handle = pipe.fileHandleForReading
            Thread.detachNewThread {
                let data = handle.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}

import Foundation

/// A program that runs while a test looks at it.
package final class RunningProgram: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: Process
    private let input: Pipe
    private let transcript: Transcript
    private let ended: Transcript

    /// - Parameters:
    ///   - path: of the program; a bare name is searched for as the shell does.
    ///   - environment: replaces the one of the tests, but for what a program needs to be found.
    package init(_ path: String, _ arguments: [String], environment: [String: String]? = nil) throws {
        let transcript = Transcript()
        let ended = Transcript()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [path] + arguments
        if let environment {
            let kept = ProcessInfo.processInfo.environment.filter {
                ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key)
            }
            process.environment = kept.merging(environment) { $1 }
        }
        let output = Pipe()
        let input = Pipe()
        process.standardOutput = output
        process.standardError = output
        // Kept open: some programs end at the end of their input.
        process.standardInput = input
        output.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            if bytes.isEmpty {
                handle.readabilityHandler = nil
                transcript.end()
            } else {
                transcript.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        process.terminationHandler = { _ in ended.end() }
        try process.run()
        self.process = process
        self.input = input
        self.transcript = transcript
        self.ended = ended
    }

    /// Everything it printed, on both outputs.
    package var output: String { transcript.text }

    /// Waits until it printed `words`.
    ///
    /// - Throws: `Failure`, with what it printed, when it ended before.
    package func printed(_ words: String) async throws {
        await transcript.wait(for: words)
        guard transcript.text.contains(words) else { throw Failure(description: "it ended: \(transcript.text)") }
    }

    package func end(_ signal: CInt = SIGTERM) async {
        if process.isRunning { kill(process.processIdentifier, signal) }
        await ended.wait(for: "\u{0}")
    }

    package var processID: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }

    package func signal(_ number: CInt) { kill(process.processIdentifier, number) }

    /// Waits for the end: the exit status, or the number of the signal that ended it as a negative number.
    package func exit() async -> Int32 {
        await ended.wait(for: "\u{0}")
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }

    /// Runs a program to its end and returns what it printed on its standard output.
    ///
    /// - Throws: `Failure`, with what it printed on both outputs, unless it ended with 0.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil
    ) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [path] + arguments
        if let environment {
            let kept = ProcessInfo.processInfo.environment.filter {
                ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key)
            }
            process.environment = kept.merging(environment) { $1 }
        }
        let (output, errors) = (Pipe(), Pipe())
        let (said, complained) = (Transcript(), Transcript())
        for (pipe, transcript) in [(output, said), (errors, complained)] {
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let bytes = handle.availableData
                if bytes.isEmpty {
                    handle.readabilityHandler = nil
                    transcript.end()
                } else {
                    transcript.append(String(decoding: bytes, as: UTF8.self))
                }
            }
        }
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        // Waiting in place would hold one of the few threads that all tests share.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        await said.wait(for: "\u{0}")
        await complained.wait(for: "\u{0}")
        guard status == 0 else {
            throw Failure(
                description:
                    "\(path) \(arguments.joined(separator: " ")) ended with \(status): \(said.text)\(complained.text)")
        }
        return said.text
    }
}

import Dispatch
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
        process.environment = Self.surroundings(environment)
        let output = Pipe()
        let input = Pipe()
        process.standardOutput = output
        process.standardError = output
        // Kept open: some programs end at the end of their input.
        process.standardInput = input
        let reader = PipeReader(output, into: transcript)
        process.terminationHandler = { _ in
            reader.finish {
                transcript.end()
                ended.end()
            }
        }
        do { try OutsideProgram.starting.withLock { try process.run() } } catch {
            reader.finish {}
            throw error
        }
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

    /// Ends it, and returns when it is gone.
    ///
    /// The threads of tests block signals, and what they start inherits that: SIGTERM reaches only programs
    /// that ask for it. Others are killed.
    package func end(politelyWithin patience: Duration = .zero) async {
        let id = process.processIdentifier
        guard process.isRunning else { return }
        if patience > .zero {
            kill(id, SIGTERM)
            let process = process
            let last = Task {
                try await Task.sleep(for: patience)
                if process.isRunning { kill(id, SIGKILL) }
            }
            await ended.wait(for: "\u{0}")
            last.cancel()
        } else {
            kill(id, SIGKILL)
            await ended.wait(for: "\u{0}")
        }
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
        let outcome = try await OutsideProgram.run(
            "/usr/bin/env", [path] + arguments, environment: Self.surroundings(environment))
        guard outcome.status == 0 else {
            throw Failure(
                description: "\(path) \(arguments.joined(separator: " ")) ended with \(outcome.status): "
                    + outcome.output + outcome.error)
        }
        return outcome.output
    }

    /// Those of the tests, or the given ones and what a program needs to be found.
    private static func surroundings(_ given: [String: String]?) -> [String: String] {
        let own = ProcessInfo.processInfo.environment
        guard let given else { return own }
        return own.filter { ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key) }.merging(given) { $1 }
    }
}

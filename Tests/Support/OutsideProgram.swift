import Foundation
import Synchronization

/// A program of this package, run as a process of its own: what a person or a script would start.
package enum OutsideProgram {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String
        package let error: String
    }

    /// Where the build put the programs: beside the running tests.
    package static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    /// The checkout.
    package static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    package static func path(_ name: String) -> String { folder + "/" + name }

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

/// A program that runs until it is told to stop.
package final class RunningProgram: Sendable {
    package let processID: Int32
    /// What it printed on standard output and standard error.
    package let logFile: String
    private let ending: Ending

    package init(_ executable: String, _ arguments: [String], environment: [String: String], logFile: String) throws {
        self.logFile = logFile
        if !FileManager.default.fileExists(atPath: logFile) {
            _ = FileManager.default.createFile(atPath: logFile, contents: nil)
        }
        let log = try FileHandle(forWritingTo: URL(filePath: logFile))
        try log.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = log
        process.standardError = log
        process.standardInput = FileHandle.nullDevice
        let ending = Ending()
        process.terminationHandler = { ending.tell($0) }
        try process.run()
        processID = process.processIdentifier
        self.ending = ending
    }

    package func signal(_ number: Int32) { kill(processID, number) }

    package var isRunning: Bool { ending.status == nil }

    package var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

    /// The exit status, or the number of the signal that ended it as a negative number.
    package func end() async -> Int32 { await ending.wait() }

    private final class Ending: Sendable {
        private struct State {
            var status: Int32?
            var waiters: [CheckedContinuation<Int32, Never>] = []
        }
        private let state = Mutex(State())

        var status: Int32? { state.withLock { $0.status } }

        func tell(_ process: Process) {
            let status =
                process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
            let waiters = state.withLock { state in
                state.status = status
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume(returning: status) }
        }

        func wait() async -> Int32 {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state in
                    if state.status == nil { state.waiters.append(continuation) }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }
}

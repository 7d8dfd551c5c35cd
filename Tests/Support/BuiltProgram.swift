import Foundation
import Synchronization

/// What a program that ended has left.
package struct FinishedProgram: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
}

/// A built program of this package, run as a process of its own.
///
/// It gets the environment it is given and nothing else, so that a setting of the machine cannot
/// change what a test sees.
package final class BuiltProgram: Sendable {
    private struct State {
        var output = ""
        var lines: [String] = []
        var rest = ""
        var openStreams = 2
        var status: Int32?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let process = Process()
    package let pid: Int32

    /// - Parameters:
    ///   - name: of the product: `refund-desk`, `app-store-simulator`.
    ///   - input: standard input; empty by default.
    package init(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = []
    ) throws {
        let program = try Self.folder().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else { throw NotBuilt(path: program.path) }
        process.executableURL = program
        process.arguments = arguments
        // A crash is a result here: a backtrace would only make it slow.
        process.environment = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let (output, errors, stdin) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        let (done, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended.yield($0.terminationReason == .exit ? $0.terminationStatus : -1) }
        try process.run()
        pid = process.processIdentifier
        if !input.isEmpty { try stdin.fileHandleForWriting.write(contentsOf: Data(input)) }
        try stdin.fileHandleForWriting.close()
        read(output.fileHandleForReading) { state, text in state.output += text }
        read(errors.fileHandleForReading) { state, text in
            state.rest += text
            var parts = state.rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            state.rest = parts.removeLast()
            state.lines += parts
        }
        Task {
            for await status in done {
                change { $0.status = status }
                break
            }
        }
    }

    /// Waits for the end of the process.
    package func finish() async -> FinishedProgram {
        await wait { state in
            guard let status = state.status, state.openStreams == 0 else { return nil }
            let errors = (state.lines + (state.rest.isEmpty ? [] : [state.rest])).joined(separator: "\n")
            return FinishedProgram(status: status, output: state.output, errors: errors)
        }
    }

    /// Waits for a line of standard error that contains the text; nil when the process ended without it.
    package func line(containing text: String) async -> String? {
        await wait { state -> String?? in
            if let line = state.lines.first(where: { $0.contains(text) }) { return line }
            return state.status != nil && state.openStreams == 0 ? .some(nil) : nil
        }
    }

    /// What standard error has said so far.
    package var lines: [String] { state.withLock { $0.lines } }
    package var isRunning: Bool { state.withLock { $0.status == nil } }

    package func send(_ signal: Int32) { kill(pid, signal) }

    /// Runs a program to its end.
    package static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> FinishedProgram {
        try await BuiltProgram(name, arguments, environment: environment, input: input).finish()
    }

    package struct NotBuilt: Error, CustomStringConvertible {
        let path: String
        package var description: String { "\(path) is not built: run swift build --build-tests" }
    }

    /// The folder of built programs: that of this test program.
    private static func folder() throws -> URL {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: program).deletingLastPathComponent()
    }

    private func read(_ handle: FileHandle, _ add: @escaping @Sendable (inout State, String) -> Void) {
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self.change { state in
                if data.isEmpty { state.openStreams -= 1 } else { add(&state, String(decoding: data, as: UTF8.self)) }
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns as soon as `look` finds something.
    private func wait<Found: Sendable>(_ look: @Sendable (State) -> Found?) async -> Found {
        while true {
            if let found = state.withLock({ look($0) }) { return found }
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    // What came between the look and here must not be slept through.
                    guard look(state) == nil else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        }
    }
}

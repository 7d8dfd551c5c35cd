import Foundation
import Synchronization

/// `openssl s_server` with a fresh certificate, right or wrong in one way; it keeps every byte it deciphers
/// and answers nothing.
package final class TLSServer: Sendable {
    package enum Certificate: String, Sendable, CaseIterable {
        /// Issued by `authorityFile` for `localhost`.
        case good
        case selfSigned, wrongHost, expired
    }

    /// The tools of OpenSSL are needed, and were not there or failed.
    package struct Failure: Error { let text: String }

    /// PEM file of the authority that issued all certificates but the self-signed one.
    package let authorityFile: String
    package let port: Int
    private let process: Process
    private let input: Pipe
    private let output: Transcript

    /// What the server printed so far, and who waits for more.
    private final class Transcript: Sendable {
        private struct State {
            var text = ""
            var hasEnded = false
            var waiting: [(words: String, continuation: CheckedContinuation<Void, Never>)] = []
        }
        private let state = Mutex(State())

        var text: String { state.withLock { $0.text } }

        func append(_ more: String) {
            let ready = state.withLock { state in
                state.text += more
                let ready = state.waiting.filter { state.text.contains($0.words) }
                state.waiting.removeAll { state.text.contains($0.words) }
                return ready
            }
            for one in ready { one.continuation.resume() }
        }

        /// When the server ends, nobody waits any longer.
        func end() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.hasEnded = true
                return state.waiting
            }
            for one in waiting { one.continuation.resume() }
        }

        func wait(for words: String) async {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.hasEnded || state.text.contains(words) { return true }
                    state.waiting.append((words, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    package init(_ certificate: Certificate) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        func openssl(_ arguments: [String]) async throws {
            let run = Process()
            run.executableURL = URL(filePath: "/usr/bin/env")
            run.arguments = ["openssl"] + arguments
            run.standardError = FileHandle.nullDevice
            run.standardOutput = FileHandle.nullDevice
            // Waiting in place would hold one of the few threads that all tests share.
            let status = try await withCheckedThrowingContinuation { continuation in
                run.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try run.run() } catch {
                    run.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
            guard status == 0 else { throw Failure(text: "openssl \(arguments.joined(separator: " ")): \(status)") }
        }
        let newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try await openssl(
            newKey + [
                "-x509", "-days", "2", "-subj", "/CN=Test Authority", "-keyout", path("ca.key"), "-out", path("ca.pem"),
            ])
        let host = certificate == .wrongHost ? "elsewhere.example" : "localhost"
        if certificate == .selfSigned {
            try await openssl(
                newKey + [
                    "-x509", "-days", "2", "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout",
                    path("key.pem"), "-out", path("leaf.pem"),
                ])
        } else {
            try await openssl(newKey + ["-subj", "/CN=\(host)", "-keyout", path("key.pem"), "-out", path("leaf.csr")])
            try Data("subjectAltName=DNS:\(host)".utf8).write(to: folder.appending(path: "names"))
            try await openssl([
                "x509", "-req", "-in", path("leaf.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-set_serial",
                "2", "-days", certificate == .expired ? "-1" : "1", "-extfile", path("names"), "-out", path("leaf.pem"),
            ])
        }
        authorityFile = path("ca.pem")

        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = [
            // Unbuffered, or it would be read only when it ends.
            "stdbuf", "-o0", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", path("leaf.pem"), "-key",
            path("key.pem"),
            "-alpn",
            "http/1.1",
        ]
        let transcript = Transcript()
        let input = Pipe()
        let printed = Pipe()
        server.standardOutput = printed
        server.standardError = FileHandle.nullDevice
        // Kept open: at the end of its input the server would end.
        server.standardInput = input
        printed.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            if bytes.isEmpty { handle.readabilityHandler = nil }
            transcript.append(String(decoding: bytes, as: UTF8.self))
        }
        server.terminationHandler = { _ in transcript.end() }
        try server.run()
        await transcript.wait(for: "ACCEPT 127.0.0.1:")
        await transcript.wait(for: "\n")
        let line = transcript.text.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127.0.0.1:") }
        guard let port = line.flatMap({ Int($0.dropFirst("ACCEPT 127.0.0.1:".count)) }) else {
            server.terminate()
            throw Failure(text: "s_server did not say its port: \(transcript.text)")
        }
        self.port = port
        process = server
        output = transcript
        self.input = input
    }

    package var url: String { "https://localhost:\(port)" }

    /// Everything the server deciphered and said.
    package var transcript: String { output.text }

    /// Waits until the server has done with a connection.
    package func connectionEnded() async { await output.wait(for: "CONNECTION CLOSED") }

    package func stop() {
        process.terminate()
        try? FileManager.default.removeItem(at: URL(filePath: authorityFile).deletingLastPathComponent())
    }
}

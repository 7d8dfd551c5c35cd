import Foundation

/// `openssl s_server` with a fresh certificate, right or wrong in one way; it keeps every byte it deciphers
/// and answers nothing, or with a page about itself.
package final class TLSServer: Sendable {
    package enum Certificate: String, Sendable, CaseIterable {
        /// Issued by `authorityFile` for `localhost`.
        case good
        case selfSigned, wrongHost, expired
    }

    /// PEM file of the authority that issued all certificates but the self-signed one.
    package let authorityFile: String
    package let port: Int
    private let folder: URL
    private let program: RunningProgram

    /// Runs `body` beside a server with such a certificate, and ends it.
    package static func serve(
        _ certificate: Certificate, answers: Bool = false, _ body: (TLSServer) async throws -> Void
    ) async throws {
        let server = try await TLSServer(certificate, answers)
        do {
            try await body(server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private init(_ certificate: Certificate, _ answers: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        func openssl(_ arguments: [String]) async throws { _ = try await RunningProgram.run("openssl", arguments) }
        let newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        let authority = ["-x509", "-days", "2", "-subj", "/CN=Test Authority"]
        try await openssl(newKey + authority + ["-keyout", path("ca.key"), "-out", path("ca.pem")])
        let host = certificate == .wrongHost ? "elsewhere.example" : "localhost"
        let leaf = ["-subj", "/CN=\(host)", "-keyout", path("key.pem")]
        if certificate == .selfSigned {
            let itself = ["-x509", "-days", "2", "-addext", "subjectAltName=DNS:\(host)", "-out", path("leaf.pem")]
            try await openssl(newKey + leaf + itself)
        } else {
            try await openssl(newKey + leaf + ["-out", path("leaf.csr")])
            try Data("subjectAltName=DNS:\(host)".utf8).write(to: folder.appending(path: "names"))
            try await openssl([
                "x509", "-req", "-in", path("leaf.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-set_serial",
                "2", "-days", certificate == .expired ? "-1" : "1", "-extfile", path("names"), "-out",
                path("leaf.pem"),
            ])
        }
        self.folder = folder
        authorityFile = path("ca.pem")
        // Unbuffered, or what it prints would be read only when it ends.
        program = try RunningProgram(
            "stdbuf",
            [
                "-o0", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", path("leaf.pem"), "-key",
                path("key.pem"),
                "-alpn", "http/1.1",
            ] + (answers ? ["-www"] : []))
        // The line is complete when the next word of the programme follows or the line ends.
        let start = "ACCEPT 127.0.0.1:"
        try await program.printed(start)
        var digits: Substring = ""
        while true {
            let text = program.output
            let rest = text.range(of: start).map { text[$0.upperBound...] } ?? ""
            digits = rest.prefix { $0.isNumber }
            if rest.count > digits.count { break }
            try await program.printed("\n")
            await Task.yield()
        }
        port = Int(digits) ?? 0
    }

    package var url: String { "https://localhost:\(port)" }

    /// Everything the server deciphered and said.
    package var transcript: String { program.output }

    /// Waits until the server has done with a connection.
    package func connectionEnded() async throws { try await program.printed("CONNECTION CLOSED") }

    private func stop() async {
        await program.end()
        try? FileManager.default.removeItem(at: folder)
    }
}

import Foundation

/// Debian's `aiosmtpd`, run as a process of its own, with a certificate for `mail.localhost`; it keeps what it takes.
///
/// That name leads to this machine and is none of those that mail goes to without TLS. Readers whose name begins with
/// `unknown` are refused for good, `later` for now, `policy` after the message; any user signs in with `correct horse`.
package final class MailBox: Sendable {
    package enum Safety: String, Sendable, CaseIterable {
        case startTLS, implicitTLS, none
        /// STARTTLS with a certificate for another host, or one that nobody issued.
        case wrongHost, selfSigned
    }

    /// One mail as it arrived.
    package struct Delivery: Sendable {
        package let from: String
        package let to: [String]
        package let bytes: [UInt8]
        package let isEncrypted: Bool
        package let user: String?
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    package let port: Int
    /// PEM file of the authority that issued the certificate.
    package let authorityFile: String
    private let safety: Safety
    private let folder: URL
    private let program: RunningProgram

    package var url: String { "\(safety == .implicitTLS ? "smtps" : "smtp")://mail.localhost:\(port)" }

    /// Runs `body` beside such a server, and ends it.
    package static func open(_ safety: Safety, _ body: (MailBox) async throws -> Void) async throws {
        let box = try await MailBox(safety)
        do {
            try await body(box)
        } catch {
            await box.close()
            throw error
        }
        await box.close()
    }

    /// What was taken so far.
    package var deliveries: [Delivery] {
        program.output.split(separator: "\n").filter { $0.hasPrefix("MAIL ") }.compactMap { line in
            guard let read = try? JSONDecoder().decode(Line.self, from: Data(line.dropFirst(5).utf8)),
                let bytes = Data(base64Encoded: read.bytes)
            else { return nil }
            return Delivery(
                from: read.from, to: read.to, bytes: Array(bytes), isEncrypted: read.tls, user: read.user)
        }
    }

    /// What was taken, when it is so many. The server answers a little before its line is read here.
    package func delivered(_ count: Int) async throws -> [Delivery] {
        try await until(.seconds(120), "\(count) mails") { deliveries.count >= count }
        return deliveries
    }

    /// What was said to it, but for messages: commands only.
    package var transcript: String { program.output }

    private struct Line: Decodable {
        let from: String
        let to: [String]
        let bytes: String
        let tls: Bool
        let user: String?
    }

    private init(_ safety: Safety) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mailbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        let host = safety == .wrongHost ? "elsewhere.example" : "mail.localhost"
        let newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        func openssl(_ arguments: [String]) async throws { _ = try await RunningProgram.run("openssl", arguments) }
        let authority = ["-x509", "-days", "2", "-subj", "/CN=Test Authority"]
        try await openssl(newKey + authority + ["-keyout", path("ca.key"), "-out", path("ca.pem")])
        let leaf = ["-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", path("key.pem")]
        let issuer = safety == .selfSigned ? [] : ["-CA", path("ca.pem"), "-CAkey", path("ca.key")]
        try await openssl(newKey + leaf + ["-x509", "-days", "2"] + issuer + ["-out", path("leaf.pem")])
        try Data(Self.script.utf8).write(to: folder.appending(path: "box.py"))
        let program = try RunningProgram(
            "/usr/bin/python3", ["-u", path("box.py"), safety.rawValue, path("leaf.pem"), path("key.pem")])
        try await program.printed(" READY")
        let output = program.output
        let digits = output.firstRange(of: "PORT ").map { output[$0.upperBound...] } ?? ""
        port = Int(digits.prefix { $0.isNumber }) ?? 0
        authorityFile = path("ca.pem")
        self.safety = safety
        self.folder = folder
        self.program = program
    }

    private func close() async {
        await program.end()
        try? FileManager.default.removeItem(at: folder)
    }

    private static let script = """
        import asyncio, base64, json, ssl, sys
        from aiosmtpd.smtp import SMTP, AuthResult

        safety, certificate, key = sys.argv[1:4]
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)

        class Box:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith("unknown"): return "550 5.1.1 no such user here"
                if address.startswith("later"): return "451 4.7.1 greylisted, come back later"
                envelope.rcpt_tos.append(address)
                return "250 OK"
            async def handle_DATA(self, server, session, envelope):
                if envelope.rcpt_tos[0].startswith("policy"): return "554 5.7.1 message content refused"
                user = session.auth_data.login.decode() if session.auth_data else None
                print("MAIL " + json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos,
                    "bytes": base64.b64encode(envelope.original_content).decode(), "user": user,
                    "tls": safety == "implicitTLS" or session.ssl is not None}))
                return "250 2.0.0 taken"

        def authenticate(server, session, envelope, mechanism, data):
            if data.password == b"correct horse": return AuthResult(success=True, auth_data=data)
            return AuthResult(success=False, handled=False,
                message="535 5.7.8 no, not " + data.password.decode())

        def make():
            offered = context if safety not in ("none", "implicitTLS") else None
            return SMTP(Box(), hostname="mail.localhost", tls_context=offered, authenticator=authenticate,
                auth_require_tls=safety not in ("none", "implicitTLS"))

        async def main():
            loop = asyncio.get_running_loop()
            server = await loop.create_server(make, "127.0.0.1", 0,
                ssl=context if safety == "implicitTLS" else None)
            print("PORT", server.sockets[0].getsockname()[1], "READY")
            await server.serve_forever()

        asyncio.run(main())
        """
}

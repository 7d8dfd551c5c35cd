import Crypto
import Foundation
import HTTP
import Simulator
import Support
import Testing
import Time

/// The first way through the whole house. It is never red.
@Suite(.timeLimit(.minutes(10)))
struct `From Apple's request to the page` {
    @Test func `a signed request is acknowledged, answered with 202, and told on a page`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            let note = try stage.request()
            #expect(try await desk.post(note, to: inbox) == 200)
            try await stage.eventually("Apple has accepted the reply") {
                stage.replies(to: note.transactionID).contains { $0.status == 202 }
            }
            #expect(stage.replies(to: note.transactionID).count == 1)

            let visitor = try await Visitor.signIn(at: desk, of: stage)
            let text = try await visitor.page("/t/alpha/cases")
            let match = try #require(text.firstMatch(of: /\/t\/alpha\/cases\/[0-9a-f-]{36}/))
            try await visitor.page(String(match.0), tells: [note.transactionID ?? "?", "Answered", "HTTP 202"])
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `BL-003: a repaired key sends what waited, without a new notification`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            stage.apple.script.add(
                [ScriptedAnswer(status: 401, times: 1, pathContains: "consumption")], in: .production)
            let note = try stage.request()
            #expect(try await desk.post(note, to: inbox) == 200)
            try await stage.eventually("the key is refused and the reply waits") {
                desk.program.output.contains("Apple refused the signing key")
            }
            #expect(stage.replies(to: note.transactionID).map(\.status) == [401])
            try await stage.command(
                "key", "add", "--tenant", "alpha", "--key-id", "STAGE10000", "--issuer-id",
                "57246542-96fe-4a63-b053-0824d011072a", "--file", stage.folder + "/STAGE10000.p8")
            // Far sooner than the next probing call of a refused key.
            try await stage.eventually("the reply goes out", within: .seconds(30)) {
                stage.replies(to: note.transactionID).last?.status == 202
            }
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `BL-025: without a trust root it stays up, is not ready, and asks Apple to come again`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let empty = stage.folder + "/no roots"
            try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
            let note = try stage.request()
            let blind = try await stage.serve(["REFUND_DESK_TRUST_ROOTS": empty])
            #expect(try await blind.get("/health/live").status == 200)
            #expect(try await blind.get("/health/ready").status == 503)
            #expect(try await blind.post(note, to: inbox) == 503)
            #expect(await blind.stop() == 0)
            let seeing = try await stage.serve()
            #expect(try await seeing.get("/health/ready").status == 200)
            #expect(try await seeing.post(note, to: inbox) == 200)
            try await stage.eventually("the reply") { !stage.replies(to: note.transactionID).isEmpty }
            #expect(await seeing.stop() == 0)
        }
    }

    @Test func `BL-098: bad files among the trust roots cost a warning each`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let bad = try spoil(stage.folder + "/roots")
            // The good one once more, in the other spelling.
            let base64 = Data(stage.apple.rootDER).base64EncodedString(
                options: [.lineLength64Characters, .endLineWithLineFeed])
            try Data("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8)
                .write(to: URL(filePath: stage.folder + "/roots/again.pem"))
            let desk = try await stage.serve()
            let warnings = desk.program.output.split(separator: "\n").filter { $0.contains("a trust root is not used") }
            #expect(warnings.count == bad.count)
            for name in bad { #expect(warnings.count { $0.contains(name) } == 1, "\(name)") }
            #expect(try await desk.post(try stage.request(), to: inbox) == 200)
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `BL-098: with bad files alone it stays up, is not ready, and asks Apple to come again`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let folder = stage.folder + "/bad roots"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bad = try spoil(folder)
            let desk = try await stage.serve(["REFUND_DESK_TRUST_ROOTS": folder])
            for name in bad { #expect(desk.program.output.contains(name), "\(name)") }
            #expect(try await desk.get("/health/live").status == 200)
            #expect(try await desk.get("/health/ready").status == 503)
            #expect(try await desk.post(try stage.request(), to: inbox) == 503)
            #expect(await desk.stop() == 0)
        }
    }

    /// Puts files into a folder of trust roots that are none; their names.
    private func spoil(_ folder: String) throws -> [String] {
        let now = WallClock.system.now
        var ended = CertificateBuilder(
            commonName: "Ended root", notBefore: now - .days(4000), notAfter: now - .days(1))
        ended.isCA = true
        let files: [(String, [UInt8])] = [
            ("ended.der", try ended.selfSigned(try CertificateKey.generate(.p384)).der), ("empty.cer", []),
            ("page.cer", Array("<html>not found</html>".utf8)),
        ]
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)")) }
        return files.map(\.0)
    }
}

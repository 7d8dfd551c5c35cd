import Crypto
import Foundation
import HTTP
import Simulator
import Support
import Testing

/// Keys on their way in and out of the real program.
@Suite(.timeLimit(.minutes(10)))
struct `The life of a key` {
    private static let place = "/t/alpha/apps/com.example.alpha/setup"

    /// What of a key's file must be in no memory: its number either way round, its lines, and pieces of them.
    private func needles(_ p8: String) throws -> [(name: String, bytes: [UInt8])] {
        let lines = p8.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let body = Array(lines.joined().utf8)
        let der = try #require(Base64.decode(lines.joined()))
        // The number stands behind 36 bytes that are the same in every key; characters 48 to 90 stand for it.
        let scalar = Array(der[36..<68])
        return [("the number", scalar), ("the number back to front", scalar.reversed())]
            + lines.map { ("a line of the file", Array($0.utf8)) }
            + (48...78).map { ("a piece of the file", Array(body[$0..<$0 + 12])) }
    }

    @Test func `a key that was uploaded by page is tried at once, and is in no memory of the process`() async throws {
        try await withStage { stage in
            _ = try await stage.addApp()
            let desk = try await stage.serve()
            let ada = try await Visitor.signIn(at: desk, of: stage, role: "admin")
            for isPasted in [false, true] {
                let key = try NewSigningKey.make()
                stage.apple.register(
                    RegisteredApp(bundleID: "com.example.alpha", appAppleID: 6_450_000_001, issuerID: key.issuerID),
                    keyID: key.keyID, publicKey: key.publicKey)
                let answer = try await ada.upload(
                    Self.place + "/key",
                    [
                        ("file", isPasted ? "" : "SubscriptionKey_\(key.keyID).p8", isPasted ? "" : key.p8),
                        ("pasted", nil, isPasted ? key.p8 : ""), ("keyID", nil, key.keyID),
                        ("issuerID", nil, key.issuerID), ("serves", nil, "all"),
                    ])
                #expect(answer.status == 303)
                // The second key is tried as well, though the first was tried a moment ago.
                try await ada.page(Self.place, tells: ["Apple accepts the key", key.keyID])
                #expect(
                    stage.apple.ledger.calls.count {
                        $0.status == 200 && $0.tokenHeader?["kid"]?.string == key.keyID
                    } == 2)
                let secrets = try needles(key.p8)
                let found = try ProcessMemory.count(
                    of: [Array("com.example.alpha".utf8)] + secrets.map(\.bytes), in: desk.program.processID)
                #expect(found[0] > 0, "what is known to be there must be found")
                for (needle, count) in zip(secrets, found.dropFirst()) {
                    #expect(count == 0, "\(needle.name) is in memory, pasted: \(isPasted)")
                }
            }
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `refund-desk key add has wiped the key before it says that it is added`() async throws {
        try await withStage { stage in
            _ = try await stage.addApp()
            let key = try NewSigningKey.make()
            let file = stage.folder + "/SubscriptionKey_\(key.keyID).p8"
            try Data(key.p8.utf8).write(to: URL(filePath: file))
            // A pipe that is full: the program stays where it wants to print its last word.
            let output = Pipe()
            try output.fileHandleForWriting.write(contentsOf: Data(count: 65_536))
            let program = Process()
            program.executableURL = URL(filePath: OutsideProgram.path("refund-desk"))
            program.arguments = [
                "key", "add", "--tenant", "alpha", "--key-id", key.keyID, "--issuer-id", key.issuerID, "--file", file,
            ]
            program.environment = stage.settings
            program.standardOutput = output
            try program.run()
            let secrets = try needles(key.p8)
            let known = [Array("refund-desk".utf8)]
            try await stage.eventually("the key is added") {
                let keys = try await stage.command("key", "list", "--tenant", "alpha")
                return keys["keys"]?.array?.contains { $0["keyId"]?.string == key.keyID } ?? false
            }
            try await stage.eventually("nothing of the key is in its memory") {
                let found = try ProcessMemory.count(of: known + secrets.map(\.bytes), in: program.processIdentifier)
                return found[0] > 0 && found.dropFirst().allSatisfy { $0 == 0 }
            }
            #expect(program.isRunning, "it waits to print")
            _ = try output.fileHandleForReading.read(upToCount: 65_536)
            try await stage.eventually("it ends") { !program.isRunning }
            #expect(program.terminationStatus == 0)
        }
    }

    @Test
    func `BL-115: with another master key all is taken and waits, with both it drains, then the new one is enough`()
        async throws
    {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let file = stage.folder + "/master-key"
            let first = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            try await stage.command("master-key", "new", "--file", stage.folder + "/second-key")
            let second = try String(contentsOfFile: stage.folder + "/second-key", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            func use(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

            try use(second)
            let blind = try await stage.serve()
            let ada = try await Visitor.signIn(at: blind, of: stage, role: "owner")
            let waiting = try stage.request()
            #expect(try await blind.get("/health/ready").status == 200)
            #expect(try await blind.post(waiting, to: inbox) == 200)
            try await ada.page("/t/alpha", tells: ["cannot be read"])
            let checks = try await ada.page("/t/alpha/checks")
            #expect(checks.contains("signing key STAGE10000") && checks.contains("is not configured"))
            #expect(stage.replies(to: waiting.transactionID).isEmpty)
            #expect(await blind.stop() == 0)

            try use("\(second),\(first)")
            let both = try await stage.serve()
            try await stage.eventually("what waited is answered", within: .seconds(60)) {
                stage.replies(to: waiting.transactionID).contains { $0.status == 202 }
            }
            try await stage.command("master-key", "rotate")
            #expect(await both.stop() == 0)

            try use(second)
            let last = try await stage.serve()
            let next = try stage.request()
            #expect(try await last.post(next, to: inbox) == 200)
            try await stage.eventually("the new one alone signs") {
                stage.replies(to: next.transactionID).contains { $0.status == 202 }
            }
            #expect(await last.stop() == 0)
        }
    }

    @Test func `a TEST that is asked for by page is sent by Apple, arrives, and changes the page`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            let ada = try await Visitor.signIn(at: desk, of: stage, role: "admin")
            var app = try #require(stage.apple.shelves.app("com.example.alpha"))
            app.notificationURLs = [.sandbox: desk.address + inbox]
            stage.apple.register(app)
            #expect(!(try await ada.page(Self.place).contains("The Sandbox test notification arrived")))
            #expect(try await ada.post(Self.place + "/test", [("environment", "Sandbox")]).status == 303)
            // What the page's script fetches.
            try await ada.page(Self.place + "/state", tells: ["Received", "The Sandbox test notification arrived"])
            // Production has no URL at Apple, and the page says so.
            #expect(try await ada.post(Self.place + "/test", [("environment", "Production")]).status == 303)
            try await ada.page(Self.place, tells: ["Not sent", "no notification URL for Production"])
            #expect(await desk.stop() == 0)
        }
    }
}

import Crypto
import Foundation
import HTTP
import Simulator
import Support
import Testing

@Suite struct `What must stay secret` {
    @Test func `BL-028: no piece of a key and no token is in a log line, a column or a page`() async throws {
        try await withStage(settings: ["REFUND_DESK_LOG": "debug"]) { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            stage.apple.script.add([.unauthenticated(pathContains: "consumption")], in: .production)
            let first = try stage.request()
            #expect(try await desk.post(first, to: inbox) == 200)
            try await stage.eventually("a refused call") {
                stage.replies(to: first.transactionID).contains { $0.status == 401 }
            }
            let second = try stage.request(environment: .sandbox)
            #expect(try await desk.post(second, to: inbox) == 200)
            try await stage.eventually("an accepted call") {
                stage.replies(to: second.transactionID).contains { $0.status == 202 }
            }
            let token =
                try await stage.command("token", "add", "--tenant", "alpha", "--scope", "all")["token"]?.string ?? ""
            let api = try await desk.get(
                "/api/v1/apps/com.example.alpha/cases", headers: [("Authorization", "Bearer \(token)")])
            #expect(api.status == 200)
            let ada = try await Visitor.signIn(at: desk, of: stage)
            var pages = ""
            for place in ["", "/apps", "/cases", "/notifications", "/quarantine"] {
                pages += try await ada.page("/t/alpha" + place)
            }
            for (note, answer) in [(first, "HTTP 401"), (second, "HTTP 202")] {
                pages += try await ada.page("/t/alpha/cases?q=\(note.transactionID ?? "")", tells: [answer])
            }
            #expect(await desk.stop() == 0)

            let dump = try await OutsideProgram.run(
                "/usr/bin/pg_dump", ["--data-only", "--inserts", stage.databaseURL],
                environment: ProcessInfo.processInfo.environment)
            #expect(dump.status == 0 && dump.output.contains("INSERT INTO refunds.cases"))
            let everything = [
                ("log", desk.program.output), ("database", dump.output),
                ("API", String(decoding: api.body, as: UTF8.self)), ("console", pages),
            ]
            let masterKey = try String(contentsOfFile: stage.folder + "/master-key", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let session = try #require(ada.cookie.split(separator: "=", maxSplits: 1).last.map(String.init))
            #expect(masterKey.count > 40 && session.count > 20)
            #expect(desk.program.output.contains("\"debug\""))
            let keyFile = try #require(
                FileManager.default.contentsOfDirectory(atPath: stage.folder).first { $0.hasSuffix(".p8") })
            let body = try String(contentsOfFile: stage.folder + "/" + keyFile, encoding: .utf8)
                .split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let characters = Array(body)
            // The first 36 characters of every P-256 key are the same: they name the algorithm.
            for start in 36..<(characters.count - 12) {
                let piece = String(characters[start..<start + 12])
                for (place, text) in everything {
                    #expect(!text.contains(piece), "a piece of the key is in the \(place)")
                }
                // Columns of bytes are dumped in hexadecimal.
                let bytes = piece.utf8.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
                #expect(!dump.output.contains(bytes), "a piece of the key's text is in a column of bytes")
            }
            for (place, text) in everything {
                #expect(!text.contains("eyJhbGci"), "a signed text is in the \(place)")
                #expect(!text.contains(token), "an API token is in the \(place)")
                #expect(!text.contains(inbox), "an inbox is in the \(place)")
                #expect(!text.contains("Bearer "), "a header is in the \(place)")
                #expect(!text.contains(masterKey.suffix(40)), "the master key is in the \(place)")
                #expect(!text.contains(session), "a session's cookie is in the \(place)")
                #expect(!text.contains("correct horse battery"), "a password is in the \(place)")
            }
        }
    }

    @Test func `no text of a key and no number of it is in the memory of a process that has signed`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            for environment in [StoreEnvironment.production, .sandbox] {
                let request = try stage.request(environment: environment)
                #expect(try await desk.post(request, to: inbox) == 200)
                try await stage.eventually("an accepted call") {
                    stage.replies(to: request.transactionID).contains { $0.status == 202 }
                }
            }
            let keyFile = try #require(
                FileManager.default.contentsOfDirectory(atPath: stage.folder).first { $0.hasSuffix(".p8") })
            let text = try String(contentsOfFile: stage.folder + "/" + keyFile, encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            let body = Array(lines.joined().utf8)
            let der = try #require(Base64.decode(lines.joined()))
            // The number stands behind 36 bytes that are the same in every key.
            let scalar = Array(der[36..<68])
            var needles: [(String, [UInt8])] = [
                ("the number", scalar), ("the number back to front", scalar.reversed()),
            ]
            needles += lines.map { ("a line of the file", Array($0.utf8)) }
            // Characters 48 to 90 stand for the number.
            needles += (48...78).map { ("a piece of the file", Array(body[$0..<$0 + 12])) }
            let found = try ProcessMemory.count(
                of: [Array("com.example.alpha".utf8)] + needles.map(\.1), in: desk.program.processID)
            #expect(found[0] > 0, "what is known to be there must be found")
            for (needle, count) in zip(needles, found.dropFirst()) { #expect(count == 0, "\(needle.0) is in memory") }
            #expect(await desk.stop() == 0)
        }
    }
}

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
            stage.apple.script.add([.unauthenticated()], in: .production)
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
            #expect(await desk.stop() == 0)

            let dump = try await OutsideProgram.run(
                "/usr/bin/pg_dump", ["--data-only", "--inserts", stage.databaseURL],
                environment: ProcessInfo.processInfo.environment)
            #expect(dump.status == 0 && dump.output.contains("insert into") || dump.output.contains("INSERT INTO"))
            let everything = [
                ("log", desk.program.output), ("database", dump.output),
                ("page", String(decoding: api.body, as: UTF8.self)),
            ]
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
            }
            for (place, text) in everything {
                #expect(!text.contains("eyJhbGci"), "a signed text is in the \(place)")
                #expect(!text.contains(token), "an API token is in the \(place)")
                #expect(!text.contains(inbox), "an inbox is in the \(place)")
                #expect(!text.contains("Bearer "), "a header is in the \(place)")
            }
        }
    }
}

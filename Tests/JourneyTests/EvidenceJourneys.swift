import Foundation
import HTTP
import Postgres
import Simulator
import Support
import Testing
import Time

/// The real program asking an app's own server, which the small Apple plays as well.
@Suite(.timeLimit(.minutes(10)))
struct `An app's own server` {
    private static let place = ["--tenant", "alpha", "--bundle-id", "com.example.alpha"]
    private static let settings = ["REFUND_DESK_OUTBOUND_ALLOW_PRIVATE": "127.0.0.0/8"]

    /// - Returns: the secret.
    private func ask(_ stage: Stage, at url: String) async throws -> String {
        let set = try await stage.command(["callback", "set", "--url-stdin"] + Self.place, input: url + "\n")
        return try #require(set["secret"]?.string)
    }

    /// The control API of the small Apple; its answer.
    @discardableResult
    private func control(_ method: HTTP.Method, _ path: String, _ body: String = "", of stage: Stage) async throws
        -> String
    {
        let answer = try await stage.client.send(
            ClientRequest(
                method: method, url: stage.apple.address + path, headers: ["Content-Type": "application/json"],
                body: body.isEmpty ? nil : Array(body.utf8)))
        #expect(answer.status < 300)
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test func `is asked with a signature that it can check, and what it says is what Apple is told`() async throws {
        try await withDatabase { test in
            try await withStage(settings: Self.settings, databaseURL: test.url) { stage in
                let inbox = try await stage.addApp(consent: "per-customer")
                let secret = try await ask(stage, at: stage.apple.address + "/backend/com.example.alpha/evidence")
                let given = Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000
                try await control(
                    .put, "/control/backends/com.example.alpha",
                    """
                    {"secret": "\(secret)", "answers": {"*": {"consent": {"consented": true, "recordedAt": \(given)},
                     "deliveryStatus": "DELIVERED", "consumptionPercentage": 45200, "note": "Played for an hour."}}}
                    """, of: stage)
                let desk = try await stage.serve()
                let note = try stage.request()
                #expect(try await desk.post(note, to: inbox) == 200)
                try await stage.eventually("the reply goes out") {
                    stage.replies(to: note.transactionID).map(\.status) == [202]
                }
                let sent = try #require(stage.replies(to: note.transactionID).first)
                #expect(sent.body.contains("45200"), "\(sent.body)")
                let asked = try await control(.get, "/control/backends/com.example.alpha", of: stage)
                #expect(asked.contains(#""signed":true"#) && asked.contains("refund.requested"), "\(asked)")
                #expect(await desk.stop() == 0)
            }
        }
    }

    @Test func `while it is silent every request is answered in time, with what was known`() async throws {
        try await withDatabase { test in
            try await withStage(settings: Self.settings, databaseURL: test.url) { stage in
                let inbox = try await stage.addApp()
                _ = try await ask(stage, at: stage.apple.address + "/backend/com.example.alpha/evidence")
                try await control(.put, "/control/backends/com.example.alpha", #"{"mode": "silent"}"#, of: stage)
                let desk = try await stage.serve()
                // A minute before their deadlines.
                let notes = try (0..<4).map { _ in
                    try stage.request { $0.signedDateOffset = .zero - .hours(12) + .seconds(60) }
                }
                for note in notes { #expect(try await desk.post(note, to: inbox) == 200) }
                try await stage.eventually("every request is answered", within: .seconds(120)) {
                    notes.allSatisfy { note in stage.replies(to: note.transactionID).map(\.status) == [202] }
                }
                try await stage.eventually("every case is kept as answered") {
                    let states = try await test.asSuperuser("select state from refunds.cases")
                    return try states.map { try $0("state") as String } == Array(repeating: "answered", count: 4)
                }
                try await stage.eventually("every question has ended") {
                    try await test.asSuperuser("select from refunds.asks where state = 'waiting'").isEmpty
                }
                #expect(try await test.asSuperuser("select from refunds.asks where state <> 'answered'").count == 4)
                #expect(await desk.stop() == 0)
            }
        }
    }
}

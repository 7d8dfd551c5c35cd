import Foundation
import Time
import Postgres
import HTTP
import Simulator
import Support
import Testing

@Suite struct `Times` {
    @Test func `BL-066: the zones of host and database change nothing`() async throws {
        try await withDatabase { test in
            let name = test.name
            try await TestServer.administer(test.url, "alter database \(name) set timezone = 'Asia/Kolkata'")
            try await withStage(settings: ["TZ": "America/Chicago"], databaseURL: test.url) { stage in
                let inbox = try await stage.addApp()
                let desk = try await stage.serve()
                let note = try stage.request { order in
                    order.transaction = ["purchaseDate": 1_781_524_800_123, "originalPurchaseDate": 1_781_524_800_123]
                }
                #expect(try await desk.post(note, to: inbox) == 200)
                let token =
                    try await stage.command("token", "add", "--tenant", "alpha", "--scope", "all")["token"]?.string
                    ?? ""
                let headers = [("Authorization", "Bearer \(token)")]
                var text = ""
                try await stage.eventually("the case") {
                    text = String(
                        decoding: try await desk.get("/api/v1/apps/com.example.alpha/cases", headers: headers).body,
                        as: UTF8.self)
                    return text.contains("\"deadline\"")
                }
                #expect(text.contains("\"deadline\":\(note.signedAt.milliseconds + 43_200_000)"))
                #expect(text.contains("\"purchaseDate\":1781524800123,"))
                let ada = try await Visitor.signIn(at: desk, of: stage)
                let page = try await ada.page("/t/alpha/cases?q=\(note.transactionID ?? "")")
                #expect(page.contains(">2026-06-15 12:00:00.123 UTC<"))
                let stored = try await test.asSuperuser(
                    "select (extract(epoch from purchased_at) * 1000)::bigint as ms from refunds.transactions")
                #expect(try stored[0]("ms") == Int64(1_781_524_800_123))
                #expect(await desk.stop() == 0)
            }
        }
    }
}

import Foundation
import HTTP
import Simulator
import Support
import Testing

/// What Apple sent, as people find it on the pages of the real program.
@Suite(.timeLimit(.minutes(10)))
struct `What people see of what Apple sent` {
    @Test func `BL-001, BL-011, BL-046: a test, a new type and a version 1 body are told on pages`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            let ada = try await Visitor.signIn(at: desk, of: stage)

            let test = try stage.apple.write(
                NotificationOrder("TEST", environment: .sandbox, bundleID: "com.example.alpha"))
            #expect(try await desk.post(test, to: inbox) == 200)
            var order = NotificationOrder(
                "SOMETHING_NEW_2031", subtype: "ODD", bundleID: "com.example.alpha", productType: "Consumable")
            order.data = ["foo": ["a": [1, [:]]]]
            let new = try stage.apple.write(order)
            #expect(try await desk.post(new, to: inbox) == 200)
            #expect(try await postVersion1(to: desk, inbox) == 400)

            let first = try await ada.page("/t/alpha/notifications/\(test.uuid)")
            #expect(first.contains("The address works.") && first.contains("Sandbox"))
            var second = ""
            try await stage.eventually("the new type is read") {
                second = try await ada.page("/t/alpha/notifications/\(new.uuid)")
                return second.contains("Not understood")
            }
            #expect(
                second.contains("SOMETHING_NEW_2031") && second.contains("ODD") && second.contains("&quot;foo&quot;"))
            let list = try await ada.page("/t/alpha/notifications")
            #expect(list.contains(">TEST<") && list.contains("ODD") && list.contains("Not understood"))
            for place in ["/t/alpha", "/t/alpha/quarantine"] {
                let page = try await ada.page(place)
                #expect(page.contains("switch to version 2"), "\(place)")
                #expect(!page.contains("shared-secret"))
            }
            #expect(try await ada.page("/t/alpha/cases").contains("No refund request yet"))
            #expect(stage.apple.ledger.calls.allSatisfy { $0.path == "/inApps/v1/notifications/history" })
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `BL-005, BL-019, BL-049: deliveries, times and a long app id are shown as they came`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp(appleID: 6_743_115_016)
            let desk = try await stage.serve()
            let ada = try await Visitor.signIn(at: desk, of: stage)
            let note = try stage.request { order in
                order.transaction = [
                    "purchaseDate": 1_781_524_800_123, "originalPurchaseDate": 1_781_524_800_123, "price": 9990,
                    "currency": "USD",
                ]
            }
            let id = try #require(note.transactionID)
            for _ in 1...3 { #expect(try await desk.post(note, to: inbox) == 200) }
            try await stage.eventually("the reply") { stage.replies(to: id).contains { $0.status == 202 } }
            for _ in 4...6 { #expect(try await desk.post(note, to: inbox) == 200) }

            let page = try await ada.page("/t/alpha/cases?q=\(id)")
            #expect(page.contains("<dt>Deliveries</dt><dd>6</dd>"))
            #expect(page.contains("2026-06-15 12:00:00.123 UTC") && page.contains("9.99 USD"))
            #expect(stage.replies(to: id).count == 1)
            #expect(try await ada.page("/t/alpha/apps").contains("<dt>Apple ID</dt><dd>6743115016</dd>"))

            let token = try await stage.command("token", "add", "--tenant", "alpha", "--scope", "all")["token"]?.string
            let answer = try await desk.get(
                "/api/v1/apps/com.example.alpha/cases", headers: [("Authorization", "Bearer \(token ?? "")")])
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains("\"purchaseDate\":1781524800123,") && text.contains("\"deliveries\":6"))
            #expect(await desk.stop() == 0)
        }
    }

    private func postVersion1(to desk: Desk, _ inbox: String) async throws -> Int {
        let body =
            #"{"notification_type":"CONSUMPTION_REQUEST","password":"shared-secret","environment":"PROD","bid":"com.example.alpha","unified_receipt":{"latest_receipt_info":[]}}"#
        return try await desk.client.send(
            ClientRequest(
                method: .post, url: desk.address + inbox, headers: ["Content-Type": "application/json"],
                body: Array(body.utf8))
        ).status
    }
}

import Foundation
import HTTP
import Simulator
import Support
import Testing
import Time

/// The real program, a real PostgreSQL, and a small Apple whose deliveries fail for a while.
@Suite(.timeLimit(.minutes(2))) struct `Notifications that could not be delivered` {
    @Test func `requests that came while nobody was there are found in Apple's history and answered in their window`()
        async throws
    {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            let first = try stage.request()
            #expect(try await desk.post(first, to: inbox) == 200)
            try await stage.eventually("the reply") { stage.replies(to: first.transactionID).count == 1 }
            #expect(await desk.stop() == 0)

            // More than a page of them, of an hour and a half ago, and one whose time is over.
            var missed: [SentNotification] = []
            let ages = [Int64](repeating: 90, count: 24) + [13 * 60]
            for minutes in ages {
                var order = NotificationOrder(
                    "CONSUMPTION_REQUEST", bundleID: "com.example.alpha", productType: "Consumable", reason: "OTHER")
                order.decides = false
                order.signedDateOffset = .zero - .minutes(minutes)
                order.url = desk.address + inbox
                let sent = try await stage.apple.send(order)
                #expect(sent.attempts.count == 1 && !sent.isDelivered)
                missed.append(sent)
            }

            let again = try await stage.serve()
            let inTime = missed.dropLast()
            try await stage.eventually("every reply") {
                inTime.allSatisfy { one in stage.replies(to: one.transactionID).contains { $0.status == 202 } }
            }
            #expect(inTime.allSatisfy { stage.replies(to: $0.transactionID).count == 1 })
            let late = missed[missed.count - 1]
            #expect(stage.replies(to: late.transactionID).isEmpty)
            // A retry of Apple's that comes now is known.
            #expect(try await again.post(missed[0], to: inbox) == 200)
            let metrics = String(decoding: try await again.get("/metrics").body, as: UTF8.self)
            #expect(metrics.contains("history_notifications_total"))
            #expect(await again.stop() == 0)
        }
    }
}

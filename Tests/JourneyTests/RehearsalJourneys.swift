import Foundation
import HTTP
import Simulator
import Support
import Testing

/// The real program with a real app and a rehearsal app beside it, each with an Apple of its own.
@Suite(.timeLimit(.minutes(10)))
struct `Rehearsal` {
    @Test func `BL-004: a rehearsal is answered at its simulator, believed by nobody else, and is in no total`()
        async throws
    {
        let side = try await SmallApple.start(.forTests)
        let result: Result<Void, any Error>
        do {
            try await withStage(settings: ["REFUND_DESK_OUTBOUND_ALLOW_PRIVATE": "127.0.0.0/8"]) { stage in
                try await rehearse(stage, side)
            }
            result = .success(())
        } catch { result = .failure(error) }
        await side.stop()
        try result.get()
    }

    private let real = "com.example.alpha"
    private let rehearsal = "com.example.rehearsal"

    private func rehearse(_ stage: Stage, _ side: SmallApple) async throws {
        let inbox = try await stage.addApp(real)
        let rehearsalInbox = try await stage.addRehearsal(rehearsal, appleID: 6_450_000_009, with: side)
        // The same bundle IDs at both: what keeps them apart is who signs.
        let issuer = "57246542-96fe-4a63-b053-0824d011072a"
        side.register(RegisteredApp(bundleID: real, appAppleID: 6_450_000_001, issuerID: issuer))
        stage.apple.register(RegisteredApp(bundleID: rehearsal, appAppleID: 6_450_000_009, issuerID: issuer))
        let desk = try await stage.serve()

        let rehearsed = try side.write(Self.request(rehearsal))
        let genuine = try stage.apple.write(Self.request(real))
        #expect(try await desk.post(rehearsed, to: rehearsalInbox) == 200)
        #expect(try await desk.post(genuine, to: inbox) == 200)
        #expect(try await desk.post(side.write(Self.request(real)), to: inbox) == 400)
        #expect(try await desk.post(stage.apple.write(Self.request(rehearsal)), to: rehearsalInbox) == 400)

        try await stage.eventually("both are answered, each at its own side") {
            Self.replies(at: side, to: rehearsed) == [202] && Self.replies(at: stage.apple, to: genuine) == [202]
        }
        #expect(Self.replies(at: stage.apple, to: rehearsed).isEmpty && Self.replies(at: side, to: genuine).isEmpty)

        // A result is counted and recorded after the answer has arrived at Apple: each is waited for.
        for line in [
            #"replies_total{environment="Production",result="accepted"} 1"#,
            #"deliveries_total{outcome="accepted"} 1"#, #"deliveries_total{outcome="rejected"} 1"#,
        ] {
            try await stage.eventually("the metrics hold \(line)") {
                let metrics = String(decoding: try await desk.get("/metrics").body, as: UTF8.self)
                return metrics.split(separator: "\n").contains { $0.hasSuffix(line) }
            }
        }
        let ada = try await Visitor.signIn(at: desk, of: stage)
        try await ada.page(
            "/t/alpha/cases?q=\(rehearsed.transactionID ?? "")",
            tells: ["<dt>Environment</dt><dd>Rehearsal</dd>", "HTTP 202"])
        #expect(try await ada.page("/t/alpha/cases?q=\(genuine.transactionID ?? "")").contains("<dd>Production</dd>"))
        #expect(!(try await ada.page("/t/alpha/cases?environment=Production")).contains(rehearsed.transactionID ?? "?"))
        #expect(await desk.stop() == 0)
    }

    private static func request(_ bundleID: String) -> NotificationOrder {
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", bundleID: bundleID, productType: "Consumable", reason: "OTHER")
        order.decides = false
        return order
    }

    /// The statuses of the calls that answer this request.
    private static func replies(at apple: SmallApple, to note: SentNotification) -> [Int] {
        apple.ledger.calls.filter { $0.consumptionTransactionID == note.transactionID }.map(\.status)
    }
}

import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("What an app's settings say in a reply")
struct AppSettingsTests {
    @Test func `a product's setting goes before the app's, a report before both`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            let (app, now) = (desk.alpha.app, desk.now)
            try await desk.database.transaction(app.tenant.scope) { tx in
                try await ProductStore.set(
                    ProductSetting(productID: "coins.100", sampleContent: true), of: app, by: .commandLine, at: now,
                    in: tx)
            }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.first?.body.contains(#""sampleContentProvided":true"#) == true)
            let saw = try await desk.count("refunds.rounds where decision like '%by the product''s setting%'")
            #expect(saw == 1)

            try await desk.usage(sample: false, transaction: "2000000900000002")
            try await desk.take(
                desk.note(
                    "CONSUMPTION_REQUEST",
                    desk.tx {
                        $0["transactionId"] = "2000000900000002"
                        $0["originalTransactionId"] = "2000000900000002"
                    }))
            #expect(desk.apple.calls.last?.body.contains(#""sampleContentProvided":false"#) == true)
        }
    }

    /// Bought a day ago: hours by which the consent of all began earlier or later, and whether it covers that.
    @Test(arguments: [(48, false, true), (24, false, true), (1, false, false), (48, true, false)])
    func `consent of all covers who bought since then, and not who withdrew`(
        hours: Int64, withdrew: Bool, covers: Bool
    ) async throws {
        let from = Moment(milliseconds: WallClock.system.now.milliseconds) - .hours(hours) - .minutes(1)
        try await Desk.open(alpha: { $0.consent = .allFrom(from, wording: "I agree.") }) { desk in
            if withdrew { try await desk.consent(false) }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == (covers ? 1 : 0))
        }
    }
}

import AppStore
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Use that is reckoned") struct ShareModelTests {
    private func state(
        share: (Int, Moment)? = nil, credits: (Int64, Int64, Moment)? = nil
    ) -> UsageStore.State {
        var state = UsageStore.State()
        state.consumptionPercentage = share.map { Evidence($0.0, .reported(observedAt: $0.1)) }
        state.credits = credits.map { Evidence(UsageCount(used: $0.0, granted: $0.1), .reported(observedAt: $0.2)) }
        return state
    }

    private func share(_ state: UsageStore.State, _ model: ConsumptionModel?, bought: Moment? = nil) -> Int? {
        ShareModel.share(state, by: model, purchasedAt: bought, at: noon)?.value
    }

    @Test(
        arguments: [
            (0, 100, 0), (1, 3, 33_333), (1, 100_001, 0), (45, 100, 45_000), (99_999, 100_000, 99_999),
            (100, 100, 100_000),
            (250, 100, 100_000), (999_999_999_999, 1_000_000_000_000, 99_999), (1_000_000_000_000, 1, 100_000),
        ] as [(Int64, Int64, Int)])
    func `credits are a share, rounded down and never above the whole`(used: Int64, granted: Int64, expected: Int) {
        #expect(share(state(credits: (used, granted, noon)), .credits) == expected)
    }

    @Test func `the newer of a share and a count goes before the other`() {
        let older = noon - .hours(1)
        #expect(share(state(share: (7, older), credits: (1, 2, noon)), .credits) == 50_000)
        #expect(share(state(share: (7, noon), credits: (1, 2, older)), .credits) == 7)
        #expect(share(state(share: (7, noon), credits: (1, 2, noon)), .credits) == 7)
    }

    @Test func `without a model, without a count, or with a count of another kind nothing is made up`() {
        #expect(share(state(credits: (1, 2, noon)), nil) == nil)
        #expect(share(state(), .credits) == nil && share(state(credits: (1, 2, noon)), .items) == nil)
        #expect(share(state(), .time(days: 30)) == nil)
    }

    @Test func `time passes between the purchase and its end, and a report goes before it`() {
        #expect(share(state(), .time(days: 10), bought: noon - .days(5)) == 50_000)
        #expect(share(state(), .time(days: 10), bought: noon - .days(11)) == 100_000)
        #expect(share(state(), .time(days: 10), bought: noon + .days(1)) == 0)
        #expect(share(state(share: (3, noon - .days(100))), .time(days: 10), bought: noon - .days(5)) == 3)
    }

    @Test func `a reply says what was reckoned, and the case says from what`() async throws {
        try await Desk.open { desk in
            let (app, now) = (desk.alpha.app, desk.now)
            try await desk.database.transaction(app.tenant.scope) { tx in
                try await ProductStore.set(
                    ProductSetting(productID: "coins.100", model: .credits), of: app, by: .commandLine, at: now, in: tx)
                try await UsageStore.record(
                    .init(
                        transactionID: "2000000900000001", deliveryStatus: .delivered,
                        credits: UsageCount(used: 30, granted: 120), observedAt: now),
                    tenant: app.tenant, app: app.id, at: now, in: tx)
            }
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.first?.body.contains(#""consumptionPercentage":25000"#) == true)
            #expect(
                try await desk.count(
                    "refunds.rounds where decision like '%computed: credits used of credits granted, 30 of 120%'") == 1)
        }
    }

    @Test func `BL-009: the elapsed period of a subscription is evidence, and never sent`() async throws {
        try await Desk.open { desk in
            let (app, now) = (desk.alpha.app, desk.now)
            try await desk.database.transaction(app.tenant.scope) { tx in
                try await ProductStore.set(
                    ProductSetting(productID: "pro.monthly", model: .time(days: 30)), of: app, by: .commandLine,
                    at: now,
                    in: tx)
            }
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.sub()))
            #expect(desk.apple.calls.first?.body.contains("consumptionPercentage") == false)
            #expect(
                try await desk.count(
                    "refunds.rounds where decision like '%elapsed period%33333%'") == 1)
        }
    }
}

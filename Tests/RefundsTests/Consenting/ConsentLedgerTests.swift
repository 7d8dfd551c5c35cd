import AppStore
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("The ledger of consent")
struct ConsentLedgerTests {
    private let token = "3D0E6C1E-54B4-4A5F-8D2A-93A0F0B7C111"

    private func record(
        _ desk: Desk, _ consented: Bool, _ given: Moment?, of subject: ConsentLedger.Subject? = nil, app: App? = nil,
        wording: String? = nil
    ) async throws -> ConsentLedger.State {
        let app = app ?? desk.alpha.app
        let now = desk.now
        return try await desk.database.transaction(app.tenant.scope) { tx in
            try await ConsentLedger.record(
                .init(consented: consented, recordedAt: given, wordingVersion: wording),
                of: subject ?? .customer(appAccountToken: token), tenant: app.tenant, app: app.id, at: now, in: tx)
        }
    }

    @Test func `reports in any order fold to the newest, at a tie to the withdrawal`() async throws {
        try await Desk.open { desk in
            let noon = desk.now - .hours(5)
            #expect(try await record(desk, true, noon).consented)
            #expect(try await !record(desk, false, noon + .hours(1)).consented)
            // Late news of an earlier time changes the history and not the state.
            let state = try await record(desk, true, noon + .minutes(30))
            #expect(!state.consented && state.givenAt == noon + .hours(1))
            #expect(state.history.map(\.consented) == [true, true, false])
            #expect(try await !record(desk, true, noon + .hours(1)).consented)
            #expect(try await record(desk, true, noon + .hours(2)).consented)
            #expect(try await !record(desk, false, noon + .hours(2)).consented)
        }
    }

    @Test func `the same report again changes nothing, and the token's case does not matter`() async throws {
        try await Desk.open { desk in
            let given = desk.now - .hours(1)
            _ = try await record(desk, true, given, wording: "v1")
            let state = try await record(
                desk, true, given, of: .customer(appAccountToken: token.lowercased()), wording: "v1")
            #expect(state.history.count == 1)
            #expect(state.history.first?.wording == "v1")
        }
    }

    @Test func `a time in the future is refused, but for a few seconds, which count as now`() async throws {
        try await Desk.open { (desk: Desk) async throws in
            await #expect(throws: ConsentLedger.Refusal.recordedInFuture) {
                try await record(desk, true, desk.now + .seconds(6))
            }
            #expect(try await record(desk, true, desk.now + .seconds(4)).givenAt == desk.now)
        }
    }

    @Test func `what cannot be kept is refused by name`() async throws {
        try await Desk.open { desk in
            await #expect(throws: ConsentLedger.Refusal.badSubject) {
                try await record(desk, true, nil, of: .customer(appAccountToken: ""))
            }
            await #expect(throws: ConsentLedger.Refusal.badSubject) {
                try await record(desk, true, nil, of: .purchase(transactionID: "1\u{0}"))
            }
            await #expect(throws: ConsentLedger.Refusal.textTooLong(member: "wordingVersion")) {
                try await record(desk, true, nil, wording: String(repeating: "x", count: 501))
            }
            await #expect(throws: ConsentLedger.Refusal.textTooLong(member: "wordingVersion")) {
                try await record(desk, true, nil, wording: "3\u{202E}")
            }
        }
    }

    @Test func `one tenant's consent is nothing to another`() async throws {
        try await Desk.open { desk in
            _ = try await record(desk, true, nil)
            let beta = desk.beta.app
            let other = try await desk.database.transaction(beta.tenant.scope) { tx in
                try await ConsentLedger.state(
                    of: .customer(appAccountToken: token), tenant: beta.tenant, app: beta.id, in: tx)
            }
            #expect(other == nil)
            // With the wrong tenant named, row security sees to it.
            let alpha = desk.alpha.app
            let leak = try await desk.database.transaction(beta.tenant.scope) { tx in
                try await ConsentLedger.state(
                    of: .customer(appAccountToken: token), tenant: alpha.tenant, app: alpha.id, in: tx)
            }
            #expect(leak == nil)
        }
    }
}

@Suite("Usage reports")
struct UsageStoreTests {
    @Test func `each member's newest observation wins, in any order`() async throws {
        try await Desk.open { desk in
            let noon = desk.now - .hours(5)
            try await desk.usage(.delivered, share: 10, at: noon + .hours(1))
            try await desk.usage(share: 5, sample: true, at: noon)
            let state = try await desk.usage(.undeliveredOther, at: noon + .minutes(30))
            #expect(state.deliveryStatus?.value == .delivered)
            #expect(state.consumptionPercentage == Evidence(10, .reported(observedAt: noon + .hours(1))))
            #expect(state.sampleContentProvided == Evidence(true, .reported(observedAt: noon)))
            try await desk.usage(share: 5, sample: true, at: noon)
            #expect(try await desk.count("refunds.usage") == 3)
        }
    }

    @Test func `what makes no sense is refused`() async throws {
        try await Desk.open { desk in
            await #expect(throws: UsageStore.Refusal.percentageOutOfRange) { try await desk.usage(share: 100_001) }
            await #expect(throws: UsageStore.Refusal.percentageOutOfRange) { try await desk.usage(share: -1) }
            await #expect(throws: UsageStore.Refusal.nothingSaid) { try await desk.usage() }
            await #expect(throws: UsageStore.Refusal.badTransactionID) {
                try await desk.usage(share: 1, transaction: "")
            }
            await #expect(throws: UsageStore.Refusal.observedInFuture) {
                try await desk.usage(share: 1, at: desk.now + .minutes(1))
            }
        }
    }

    @Test func `an undelivered status beside a percentage is kept, and the reply sends 0 and says so`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.usage(.undeliveredServerOutage, share: 60_000)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(
                desk.apple.calls.first?.body
                    == #"{"customerConsented":true,"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE","sampleContentProvided":false,"consumptionPercentage":0,"refundPreference":"GRANT_FULL"}"#
            )
            #expect(try await desk.count("refunds.usage where share = 60000") == 1)
            #expect(try await desk.count("refunds.rounds where decision like '%sent as 0%'") == 1)
        }
    }
}

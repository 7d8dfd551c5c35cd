import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Postgres
import Simulator
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("What is known of one app, and not of another", .timeLimit(.minutes(10)))
struct KeyPerAppTests {
    /// Two apps under a key of the whole tenant, which Apple takes for the first.
    private func withTwoApps(
        isSecondKnown: Bool = false, _ body: (ConnectedDesk, App) async throws -> Void
    ) async throws {
        try await ConnectedDesk.open(withKey: false) { desk in
            try await desk.desk.addKey("WIDEWIDE01", isForAll: true)
            let second = try await desk.desk.addApp("com.example.second")
            try await desk.register(keyID: "WIDEWIDE01")
            if isSecondKnown {
                try await desk.register(bundleID: "com.example.second", keyID: "WIDEWIDE01")
            }
            try await desk.probe()
            try await body(desk, second)
        }
    }

    /// Every call is answered so from now on; nil: as ever.
    private func answer(_ desk: ConnectedDesk, _ status: Int?) {
        for environment in [StoreEnvironment.production, .sandbox] {
            desk.apple.script.clear(environment)
            if let status { desk.apple.script.add([ScriptedAnswer(status: status, times: nil)], in: environment) }
        }
    }

    private func state(_ desk: ConnectedDesk, of app: App) async throws -> OnboardingState {
        try await desk.desk.database.transaction(app.tenant.scope) { tx in
            try await desk.onboarding.state(of: app, in: tx)
        }
    }

    private func probe(_ desk: ConnectedDesk, _ app: App) async throws {
        desk.desk.clock.advance(by: .seconds(11))
        _ = try await desk.onboarding.probe(app, by: .commandLine)
    }

    @Test func `an app that was just added shows nothing that was proved for another`() async throws {
        try await withTwoApps { desk, second in
            let facts = try await state(desk, of: second).facts
            #expect(facts.keys.first?.standings.all.allSatisfy { $0.value.acceptedAt == nil } == true)
            #expect(facts.trial(isSandbox: false) == nil && facts.acceptedBefore.production == nil)
            let standings = try await desk.desk.database.transaction(second.tenant.scope) { tx in
                try await OverviewQueries.apps(of: second.tenant, at: desk.desk.now, in: tx)
            }
            let accepted = standings.map { $0.keys.contains { $0.standings.all.contains { $0.value.isAccepted } } }
            #expect(accepted == [true, false])
            let tenant = Tenant(id: second.tenant, slug: "alpha", name: "alpha")
            let checks = try await desk.desk.database.transaction(second.tenant.scope) { tx in
                try await TenantChecks.of(
                    tenant, vault: desk.desk.vault,
                    tokens: APITokens(database: desk.desk.database, clock: desk.desk.clock.clock), at: desk.desk.now,
                    in: tx)
            }
            func text(_ name: String) -> String { checks.first { $0.name == "app alpha/\(name)" }?.text ?? "" }
            #expect(text("com.example.alpha key").contains("accepted by Apple"))
            #expect(text("com.example.second key").contains("not used for this app yet"))
        }
    }

    @Test func `BL-003: a wrong bundle ID is named by the app that works, whatever came in which order`() async throws {
        try await withTwoApps { desk, second in
            try await probe(desk, second)
            func cause() async throws -> String? { try await state(desk, of: second).verdicts.sandbox?.cause }
            let first = try await cause()
            #expect(first?.contains("works for com.example.alpha") == true)
            // A try of the other app that tells nothing, and another one of this app, change nothing.
            answer(desk, 500)
            try await desk.probe()
            #expect(try await cause() == first)
            answer(desk, nil)
            try await probe(desk, second)
            #expect(try await cause() == first)
            // The other app's replies go on.
            #expect(try await desk.desk.count("tenants.key_standings where refused_since is not null") == 0)
        }
    }

    @Test func `too many calls and a network that fails hide nothing that was told`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            try await desk.probe()
            for status in [429, 500] {
                answer(desk, status)
                try await desk.probe()
                let state = try await desk.state()
                #expect(state.facts.probes.production?.result == .accepted, "\(status)")
                #expect(state.facts.trial(isSandbox: true)?.result == .accepted, "\(status)")
                #expect(state.facts.troubles.production?.at == desk.desk.now, "\(status)")
                #expect(state.troubleWords.production?.summary.contains("nothing was learned") == true, "\(status)")
                #expect(state.readiness.first { $0.step == .probe }?.state == .done, "\(status)")
                // A 429 holds the lane.
                try await desk.desk.test.asSuperuser(
                    "update queue.lanes set free_at = '-infinity', paused_until = null")
            }
            answer(desk, nil)
            try await desk.probe()
            #expect(try await desk.state().facts.troubles.production == nil)
        }
    }

    @Test func `a new key does not take over from one that works before Apple took it for this app`() async throws {
        try await withTwoApps(isSecondKnown: true) { desk, second in
            try await probe(desk, second)
            try await desk.desk.addKey("NEWNEWNEW1", isForAll: true)
            func signer(_ app: App) async throws -> String? {
                try await state(desk, of: app).facts.standIns.production
            }
            #expect(try await signer(desk.app) == "WIDEWIDE01")
            let probeItem = try await desk.state().readiness.first { $0.step == .probe }
            #expect(probeItem?.state == .todo && probeItem?.text.contains("WIDEWIDE01 signs") == true)
            let rows = try await desk.desk.test.asSuperuser(
                "select public_key from tenants.signing_keys where key_id = 'NEWNEWNEW1'")
            let row = try #require(rows.first)
            let point: [UInt8] = try row("public_key")
            desk.apple.keys.put(
                try P256PublicKey(x963: point), keyID: "NEWNEWNEW1", issuerID: ConnectedDesk.issuerID)
            try await desk.probe()
            #expect(try await signer(desk.app) == nil)
            #expect(try await signer(second) == "WIDEWIDE01")
        }
    }

    @Test func `BL-013: a mistyped Apple ID is named with the one that Apple sent, until it is corrected`() async throws
    {
        try await ConnectedDesk.open { desk in
            try await desk.desk.test.asSuperuser(
                "update tenants.apps set apple_id = 6450000010 where bundle_id = 'com.example.alpha'")
            let app = try #require(
                try await desk.desk.database.transaction(desk.app.tenant.scope) { tx in
                    try await TenantStore.app(of: desk.app.tenant, id: desk.app.id, in: tx)
                })
            let inbox = Inbox(app: app, inboxID: desk.desk.alpha.inboxID)
            guard case .rejected("apple-id-mismatch", _) = try await desk.desk.post(desk.desk.note("TEST"), to: inbox)
            else {
                Issue.record("it was taken")
                return
            }
            // Sandbox names no Apple ID, so its success proves nothing.
            desk.desk.clock.advance(by: .seconds(1))
            _ = try await desk.desk.post(
                desk.desk.note("TEST") {
                    $0["data"]?["environment"] = "Sandbox"; $0["data"]?["appAppleId"] = nil
                },
                to: inbox)
            let state = try await state(desk, of: app)
            #expect(state.facts.refused?.appleID == 6_450_000_001 && !state.facts.isAppleIDProven)
            let url = state.readiness.first { $0.step == .url }
            #expect(url?.state == .trouble && url?.text.contains("gives its Apple ID as 6450000001") == true)
            try await desk.desk.test.asSuperuser(
                "update tenants.apps set apple_id = 6450000001 where bundle_id = 'com.example.alpha'")
            #expect(try await self.state(desk, of: desk.app).facts.refused == nil)
            try await desk.desk.take(desk.desk.note("TEST"))
            #expect(try await desk.state().facts.isAppleIDProven)
        }
    }

    @Test func `two apps with one Apple ID are told so`() async throws {
        try await ConnectedDesk.open { desk in
            let second = try await desk.desk.addApp("com.example.second")
            try await desk.desk.test.asSuperuser(
                "update tenants.apps set apple_id = 6450000001 where app_id = \(second.id.rawValue)")
            let app = try await desk.state().readiness.first { $0.step == .app }
            #expect(app?.state == .trouble && app?.text.contains("com.example.second") == true)
        }
    }

    @Test func `a report about nobody's purchase shows that reporting works, and no consent`() async throws {
        try await ConnectedDesk.open { desk in
            let reports = Reports(database: desk.desk.database, bell: desk.desk.bell)
            _ = try await reports.record(
                ConsentLedger.Report(consented: true), of: .customer(appAccountToken: NobodysPurchase.customer),
                app: desk.app, at: desk.desk.now)
            _ = try await reports.record(
                Reports.Usage(
                    transactionID: NobodysPurchase.transactionID, deliveryStatus: "DELIVERED",
                    consumptionPercentage: 1, sampleContentProvided: false, observedAt: desk.desk.now),
                app: desk.app, at: desk.desk.now)
            let facts = try await desk.state().facts
            #expect(facts.hasReports && !facts.hasConsent && !facts.hasUsage)
            #expect(try await desk.state().readiness.first { $0.step == .consent }?.state == .todo)
            let known = try await desk.desk.database.transaction(desk.app.tenant.scope) { tx in
                try await TenantCheckFacts.read([desk.app], at: desk.desk.now, in: tx)
            }
            #expect(known.consented.isEmpty)
            try await desk.desk.consent()
            #expect(try await desk.state().facts.hasConsent)
        }
    }
}

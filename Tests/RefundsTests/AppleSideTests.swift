import AppStore
import Crypto
import HTTP
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("A rehearsal app's side of Apple", .ownThreads)
struct AppleSideTests {
    /// A rehearsal app of alpha's tenant, which believes the signer whom real apps do not.
    private func rehearsal(
        _ desk: Desk, apiURL: String = "http://127.0.0.1:9/", consent: ConsentSetting = .perCustomer
    ) async throws -> App {
        let (tenant, now, root) = (desk.alpha.app.tenant, desk.now, desk.evil.root.der)
        return try await desk.database.transaction(tenant.scope) { tx in
            var new = NewApp(bundleID: "com.example.rehearsal")
            new.rehearsal = try RehearsalSide(rootFile: root, apiURL: apiURL)
            new.consent = consent
            return try await TenantStore.addApp(new, to: tenant, at: now, by: .commandLine, in: tx)
        }
    }

    private func note(_ desk: Desk, bundleID: String) throws -> J {
        try desk.note("TEST") {
            $0["data"] = ["appAppleId": 6_450_000_001, "bundleId": .text(bundleID), "environment": "Production"]
        }
    }

    @Test func `believes its own root, and neither Apple's nor what stands in its place`() async throws {
        try await Desk.open { desk in
            let app = try await rehearsal(desk)
            let inbox = Inbox(app: app, inboxID: 77)
            let note = try note(desk, bundleID: app.bundleID)
            #expect(await desk.post(try desk.body(note, by: desk.evil), to: inbox) == .accepted)
            let other = try self.note(desk, bundleID: app.bundleID)
            guard case .rejected = await desk.post(try desk.body(other, by: desk.chain), to: inbox) else {
                Issue.record("the installation's root was believed for a rehearsal")
                return
            }
        }
    }

    @Test func `is never believed for a real app`() async throws {
        try await Desk.open { desk in
            // Once for the rehearsal, so that its chain is known.
            let app = try await rehearsal(desk)
            let note = try note(desk, bundleID: app.bundleID)
            #expect(await desk.post(try desk.body(note, by: desk.evil), to: Inbox(app: app, inboxID: 77)) == .accepted)
            let real = try self.note(desk, bundleID: "com.example.alpha")
            guard case .rejected = await desk.post(try desk.body(real, by: desk.evil)) else {
                Issue.record("a rehearsal's root was believed for a real app")
                return
            }
            #expect(await desk.post(try desk.body(real, by: desk.chain)) == .accepted)
        }
    }

    @Test func `calls its own address and no other, and real apps never call it`() async throws {
        try await Desk.open { desk in
            let simulator = try ScriptedServer(steps: [.answer(404)])
            let store = try ScriptedServer(steps: [.answer(404)])
            let http = HTTPClient(name: "test", options: .init(), journal: .silent, counters: Counters())
            let app = try await rehearsal(desk, apiURL: simulator.url + "/")
            let side = AppleSide(
                verifier: desk.side.verifier(for: desk.alpha.app),
                api: AppStoreServerAPI(
                    hosts: AppStoreHosts(production: store.url, sandbox: store.url), http: http,
                    clock: desk.clock.clock, journal: .silent, counters: Counters()),
                commerce: desk.side.commerce(for: desk.alpha.app), rehearsalHTTP: http, clock: desk.clock.clock,
                journal: .silent, counters: Counters())
            for environment in Environment.allCases {
                _ = await side.api(for: app).transactionInfo(
                    transactionID: "1", environment: environment, token: Redacted("t"))
            }
            #expect(
                simulator.received.map(\.target) == [
                    "/production/inApps/v1/transactions/1", "/sandbox/inApps/v1/transactions/1",
                ])
            #expect(store.received.isEmpty)
            _ = await side.api(for: desk.alpha.app).transactionInfo(
                transactionID: "2", environment: .production, token: Redacted("t"))
            #expect(store.received.count == 1 && simulator.received.count == 2)
        }
    }

    @Test func `signs with keys of its own alone`() async throws {
        try await Desk.open { desk in
            let app = try await rehearsal(desk)
            let (tenant, vault) = (app.tenant, desk.vault)
            // alpha's key would serve the whole tenant.
            try await desk.test.asSuperuser("update tenants.signing_keys set app_id = null")
            let (own, real) = try await desk.database.transaction(tenant.scope) { tx in
                let own = try await vault.signingKey(of: tenant, for: app.id, in: tx)
                return (own, try await vault.signingKey(of: tenant, for: desk.alpha.app.id, in: tx))
            }
            #expect(own == nil && real != nil)
        }
    }

    @Test func `is in no metric, and misses a deadline without alarm`() async throws {
        try await Desk.open { desk in
            // Everybody agreed, and it has no key: the reply waits until it is too late.
            let app = try await rehearsal(desk, consent: .allFrom(desk.now - .days(9), wording: "I agree."))
            let inbox = Inbox(app: app, inboxID: 77)
            func request(_ app: String, _ signer: AppleSigner) throws -> [UInt8] {
                let tx = desk.tx { $0["bundleId"] = .text(app) }
                return try desk.body(
                    desk.note("CONSUMPTION_REQUEST", tx, by: signer) { $0["data"]?["bundleId"] = .text(app) },
                    by: signer)
            }
            let body = try request(app.bundleID, desk.evil)
            #expect(await desk.post(body, to: inbox) == .accepted)
            #expect(await desk.post(body, to: inbox) == .duplicate)
            guard case .rejected = await desk.post(Array("{}".utf8), to: inbox) else {
                Issue.record("an empty notification was taken")
                return
            }
            try await desk.work()
            try await desk.workOn(until: desk.now + .hours(13))
            #expect(
                try await desk.count("refunds.cases where app_id = \(app.id.rawValue) and state = 'missed'") == 1)
            #expect(desk.test.counters.text().split(separator: "\n").filter { Self.isOfApps($0) } == [])
            #expect(!desk.lines.all.contains { $0.contains("\"level\":\"error\"") })

            // A real app beside it counts.
            #expect(await desk.post(try request("com.example.alpha", desk.chain)) == .accepted)
            try await desk.work()
            #expect(desk.test.counters.value("deliveries_total", ["outcome": "accepted"]) == 1)
            #expect(desk.test.counters.value("replies_withheld_total", ["reason": "no-consent"]) == 1)
        }
    }

    private static func isOfApps(_ line: Substring) -> Bool {
        ["deliveries_", "notifications_", "replies_", "look_ups_", "relay_"].contains { line.hasPrefix($0) }
    }

    @Test func `stays as it was made, in the database too`() async throws {
        try await Desk.open { desk in
            let app = try await rehearsal(desk)
            for change: SQL in [
                "update tenants.apps set rehearsal = false, rehearsal_root = null, rehearsal_api_url = null where app_id = \(app.id.rawValue)",
                "update tenants.apps set rehearsal_api_url = 'https://elsewhere.example' where app_id = \(app.id.rawValue)",
                "update tenants.apps set rehearsal = true, rehearsal_root = 'x', rehearsal_api_url = 'x' where app_id = \(desk.alpha.app.id.rawValue)",
            ] {
                await #expect(throws: PostgresError.self) { try await desk.test.asSuperuser(change) }
            }
        }
    }
}

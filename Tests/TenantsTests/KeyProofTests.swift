import Crypto
import Postgres
import Support
import Testing
import Time

@testable import Tenants

/// One key of a whole tenant, and two apps that sign with it.
@Suite struct `What Apple says of a key for one app` {
    private struct Home {
        let two: TwoTenants
        let key: SigningKeyID
        let first: AppID
        let second: AppID

        private var tenant: TenantID { two.a.id }

        func enter(_ app: AppID) async throws -> KeyGate {
            try await two.with(two.a) { tx in
                try await KeyStandings.enter(key, for: app, isSandbox: false, of: tenant, at: two.clock.now, in: tx)
            }
        }

        func accept(_ app: AppID) async throws {
            try await two.with(two.a) { tx in
                try await KeyStandings.accepted(key, for: app, isSandbox: false, of: tenant, at: two.clock.now, in: tx)
            }
        }

        @discardableResult
        func refuse(_ app: AppID) async throws -> Moment {
            try await two.with(two.a) { tx in
                try await KeyStandings.refused(
                    key, for: app, isSandbox: false, of: tenant, clockOffset: nil, at: two.clock.now, in: tx)
            }
        }

        func story() async throws -> KeyStory {
            let vault = try two.vault
            return try #require(try await two.with(two.a) { tx in try await vault.keys(of: tenant, in: tx) }.first)
        }
    }

    private func withTwoApps(_ body: (Home) async throws -> Void) async throws {
        try await withTwoTenants { two in
            let key = try Samples.checkedKey()
            let (database, vault, tenant) = (two.database.database, try two.vault, two.a.id)
            let info = try await database.transaction(tenant.scope) { tx in
                try await vault.store(key, of: tenant, for: nil, by: .commandLine, in: tx)
            }
            let second = try await two.with(two.a) { tx in
                try await TenantStore.addApp(
                    NewApp(bundleID: "com.example.second"), to: tenant, at: two.clock.now, by: .commandLine, in: tx)
            }
            try await body(Home(two: two, key: info.id, first: two.appA.id, second: second.id))
        }
    }

    @Test func `what was accepted for one app is not accepted for another`() async throws {
        try await withTwoApps { home in
            try await home.accept(home.first)
            let story = try await home.story()
            #expect(story.standing(for: home.first, isSandbox: false)?.isAccepted == true)
            #expect(story.standing(for: home.second, isSandbox: false)?.acceptedAt == nil)
            #expect(story.other(than: home.second, isSandbox: false)?.app == home.first)
            #expect(story.other(than: home.first, isSandbox: false) == nil)
        }
    }

    @Test func `a 401 for one app does not hold back the others where the key works for them`() async throws {
        try await withTwoApps { home in
            try await home.accept(home.first)
            // Its first call is a trial, one at a time.
            #expect(try await home.enter(home.second) == .open)
            #expect(try await home.enter(home.second) == .closed(until: home.two.clock.now + .seconds(1)))
            let until = try await home.refuse(home.second)
            #expect(until == home.two.clock.now + KeyStandings.probeEvery)
            #expect(try await home.enter(home.second) == .closed(until: until))
            for _ in 0..<3 { #expect(try await home.enter(home.first) == .open) }
            home.two.clock.advance(by: KeyStandings.probeEvery)
            #expect(try await home.enter(home.second) == .open)
            #expect(try await home.enter(home.second) != .open)
            try await home.refuse(home.second)
            #expect(try await home.enter(home.first) == .open)
        }
    }

    @Test func `a key that stops working for its app is suspected for all, until another app's call clears it`()
        async throws
    {
        try await withTwoApps { home in
            try await home.accept(home.first)
            try await home.accept(home.second)
            let until = try await home.refuse(home.second)
            #expect(try await home.enter(home.first) == .closed(until: home.two.clock.now + KeyStandings.probeEvery))
            #expect(try await home.story().standing(for: home.first, isSandbox: false)?.isRefusedElsewhere == true)
            // The app that is not suspected goes first.
            #expect(until > home.two.clock.now + KeyStandings.probeEvery)
            home.two.clock.advance(by: KeyStandings.probeEvery)
            #expect(try await home.enter(home.second) == .closed(until: until))
            #expect(try await home.enter(home.first) == .open)
            try await home.accept(home.first)
            home.two.clock.advance(by: .seconds(60))
            #expect(try await home.enter(home.second) == .open)
            try await home.refuse(home.second)
            #expect(try await home.enter(home.first) == .open, "the refusal is the second app's own by now")
        }
    }

    @Test func `a call without an answer frees the trial of its app`() async throws {
        try await withTwoApps { home in
            try await home.accept(home.first)
            #expect(try await home.enter(home.second) == .open)
            try await home.two.with(home.two.a) { tx in
                try await KeyStandings.undecided(
                    home.key, for: home.second, isSandbox: false, of: home.two.a.id, in: tx)
            }
            #expect(try await home.enter(home.second) == .open)
        }
    }

    @Test func `all is written once an hour while all is well`() async throws {
        try await withTwoApps { home in
            func isProven() async throws -> Bool {
                try await home.two.with(home.two.a) { tx in
                    try await KeyStandings.isProven(
                        home.key, for: home.first, isSandbox: false, of: home.two.a.id, at: home.two.clock.now, in: tx)
                }
            }
            #expect(try await !isProven())
            try await home.accept(home.second)
            #expect(try await !isProven(), "of the other app alone")
            try await home.accept(home.first)
            #expect(try await isProven())
            home.two.clock.advance(by: .minutes(61))
            #expect(try await !isProven())
        }
    }

    @Test func `an Apple ID belongs to one app, and may be corrected only by who made sure`() async throws {
        try await withTwoTenants { home in
            let vault = try home.vault
            func change(_ app: App, _ appleID: Int64, corrects: Bool = false) async throws -> App {
                var changes = AppChanges()
                changes.appleID = appleID
                changes.correctsAppleID = corrects
                let asked = changes
                return try await home.with(home.a) { tx in
                    try await TenantStore.change(
                        app, asked, with: vault, outbound: OutboundRules { _ in nil }, by: .commandLine,
                        at: home.clock.now, in: tx)
                }
            }
            let first = try await change(home.appA, 6_450_000_091)
            await #expect(throws: AppChangeError.self) { try await change(first, 6_450_000_092) }
            let corrected = try await change(first, 6_450_000_092, corrects: true)
            #expect(corrected.appleID == 6_450_000_092)
            let rows = try await home.database.asSuperuser(
                """
                select convert_from(detail, 'UTF8')::jsonb->>'appAppleId.before' as before,
                  convert_from(detail, 'UTF8')::jsonb->>'appAppleId.after' as after
                from tenants.audit where action = 'app.changed' order by seq desc limit 1
                """)
            let entry = try #require(rows.first)
            let (before, after): (String, String) = (try entry("before"), try entry("after"))
            #expect(before == "6450000091" && after == "6450000092")
            var other = NewApp(bundleID: "com.example.other")
            other.appleID = 6_450_000_092
            let asked = other
            await #expect(throws: TenantStoreError.appleIDTaken(6_450_000_092, by: home.appA.bundleID)) {
                try await home.with(home.a) { tx in
                    try await TenantStore.addApp(asked, to: home.a.id, at: home.clock.now, by: .commandLine, in: tx)
                }
            }
            // Another tenant's is not looked at, and a rehearsal's is made up.
            try await home.with(home.b) { tx in
                try await TenantStore.addApp(asked, to: home.b.id, at: home.clock.now, by: .commandLine, in: tx)
            }
            var rehearsal = asked
            rehearsal.rehearsal = RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9")
            let made = rehearsal
            try await home.with(home.a) { tx in
                try await TenantStore.addApp(made, to: home.a.id, at: home.clock.now, by: .commandLine, in: tx)
            }
        }
    }

    @Test func `of many who give one Apple ID to different apps at once, one does`() async throws {
        try await withTwoTenants { home in
            let taken = await withTaskGroup(of: Bool.self) { group in
                for n in 0..<6 {
                    group.addTask {
                        var new = NewApp(bundleID: "com.example.at-once-\(n)")
                        new.appleID = 6_450_000_093
                        let asked = new
                        do {
                            try await home.with(home.a) { tx in
                                _ = try await TenantStore.addApp(
                                    asked, to: home.a.id, at: home.clock.now, by: .commandLine, in: tx)
                            }
                            return true
                        } catch {
                            guard case TenantStoreError.appleIDTaken = error else {
                                Issue.record("refused for something else: \(error)")
                                return false
                            }
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
        }
    }

    @Test(arguments: [
        "https://api.storekit.apple.com", "https://API.storekit-sandbox.itunes.apple.com.:443/x", "https://apple.com",
        "http://17.58.0.1:8090",
    ])
    func `a rehearsal cannot call Apple`(url: String) throws {
        let root = try AppleSigner(around: Samples.now).root.der
        #expect {
            try RehearsalSide(rootFile: root, apiURL: url)
        } throws: { error in
            (error as? AppChangeError)?.member == "apiURL" && "\(error)".contains("Apple's own")
        }
        _ = try RehearsalSide(rootFile: root, apiURL: "https://apple.com.simulator.example")
    }
}

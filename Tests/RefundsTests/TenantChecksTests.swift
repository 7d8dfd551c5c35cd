import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `Checks of a tenant` {
    private func checks(_ desk: Desk, at now: Moment? = nil) async throws -> [String: Check] {
        let app = desk.alpha.app
        let all = try await desk.database.transaction(app.tenant.scope) { tx in
            let tenant = Tenant(id: app.tenant, slug: "alpha", name: "alpha")
            return try await TenantChecks.of(
                tenant, vault: desk.vault, tokens: APITokens(database: desk.database, clock: desk.clock.clock),
                at: now ?? desk.now, in: tx)
        }
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    private func key(_ desk: Desk) async throws -> SigningKeyInfo {
        let app = desk.alpha.app
        let key = try await desk.database.transaction(app.tenant.scope) { tx in
            try await desk.vault.signingKey(of: app.tenant, for: app.id, in: tx)
        }
        return try #require(key)
    }

    private func refuse(_ desk: Desk, sandbox: Bool = false, offset: Duration? = nil) async throws {
        let key = try await key(desk)
        _ = try await desk.database.transaction(key.tenant.scope) { tx in
            try await KeyStandings.refused(
                key.id, for: desk.alpha.app.id, isSandbox: sandbox, of: key.tenant, clockOffset: offset, at: desk.now,
                in: tx)
        }
    }

    private func accept(_ desk: Desk, sandbox: Bool = false) async throws {
        let key = try await key(desk)
        try await desk.database.transaction(key.tenant.scope) { tx in
            try await KeyStandings.accepted(
                key.id, for: desk.alpha.app.id, isSandbox: sandbox, of: key.tenant, at: desk.now, in: tx)
        }
    }

    private let app = "app alpha/com.example.alpha"

    @Test func `an app that was just made has a key, and waits for Apple and for consent`() async throws {
        try await Desk.open { desk in
            let checks = try await checks(desk)
            #expect(checks["\(app) key"]?.state == .ok)
            #expect(checks["\(app) url"]?.state == .fail)
            #expect(checks["\(app) notifications"]?.state == .warn)
            #expect(checks["\(app) consent"]?.state == .warn)
            #expect(checks["sealed alpha"]?.state == .ok)
            #expect(checks["audit alpha"]?.state == .ok)
            #expect(checks["\(app) Production"] == nil && checks["apple-clock alpha"] == nil)
        }
    }

    @Test func `without a key nobody is answered`() async throws {
        try await Desk.open(withKey: false) { desk in
            let found = try await checks(desk)
            #expect(found["\(app) key"]?.state == .fail)
        }
    }

    @Test func `BL-016: Production refused and Sandbox accepted is an app that is not on sale yet`() async throws {
        try await Desk.open { desk in
            try await refuse(desk)
            try await accept(desk, sandbox: true)
            let checks = try await checks(desk)
            #expect(checks["\(app) Sandbox"]?.state == .ok)
            #expect(checks["\(app) Production"]?.state == .warn)
            #expect(checks["\(app) Production"]?.text.contains("not on sale yet") == true)
        }
    }

    @Test func `BL-018: a clock that is ten minutes fast is named with its offset`() async throws {
        try await Desk.open { desk in
            try await refuse(desk, offset: .seconds(600))
            let checks = try await checks(desk)
            #expect(checks["\(app) Production"]?.text.contains("10 minutes ahead of") == true)
            #expect(checks["apple-clock alpha"]?.state == .fail)
        }
    }

    @Test func `BL-003: a bare refusal lists what is left to check, in order`() async throws {
        try await Desk.open { desk in
            try await refuse(desk, offset: .zero)
            let check = try #require(try await checks(desk)["\(app) Production"])
            #expect(check.state == .fail)
            var rest = check.text[...]
            for word in [
                "In-App Purchase key", "key ID ABCDE12345", "issuer ID", "bundle ID com.example.alpha", "released",
                "revoked",
            ] {
                let place = try #require(rest.firstRange(of: word), "\(word) in \(check.text)")
                rest = rest[place.upperBound...]
            }
        }
    }

    @Test func `a key that Apple took before was most likely revoked`() async throws {
        try await Desk.open { desk in
            try await accept(desk)
            try await refuse(desk)
            #expect(try await checks(desk)["\(app) Production"]?.text.contains("revoked") == true)
        }
    }

    @Test func `a sealed row that does not open is named by itself, and the other tenant is well`() async throws {
        try await Desk.open { desk in
            let key = try await key(desk)
            try await desk.test.asSuperuser(
                "update tenants.secrets set sealed = set_byte(sealed, 80, get_byte(sealed, 80) # 1) where secret_id = \(key.id.rawValue)"
            )
            let checks = try await checks(desk)
            #expect(checks["sealed alpha"]?.state == .fail && checks["sealed alpha"]?.text.contains(key.keyID) == true)
            #expect(checks["\(app) key"]?.state == .fail)
            let beta = desk.beta.app
            let others = try await desk.database.transaction(beta.tenant.scope) { tx in
                try await TenantChecks.of(
                    Tenant(id: beta.tenant, slug: "beta", name: "beta"), vault: desk.vault,
                    tokens: APITokens(database: desk.database, clock: desk.clock.clock), at: desk.now, in: tx)
            }
            #expect(
                others.filter { $0.name.contains("sealed") || $0.name.hasSuffix(" key") }.allSatisfy { $0.state == .ok }
            )
        }
    }

    @Test func `a notification from an environment that the app is set up without is taken, answered and told`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.test.asSuperuser("update tenants.apps set environments = '{Sandbox}'")
            #expect(try await checks(desk)["\(app) environments"] == nil)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            let check = try #require(try await checks(desk)["\(app) environments"])
            #expect(check.state == .warn && check.text.contains("without Production"))
            #expect(check.remedy?.place == .setUp(bundleID: "com.example.alpha") && check.remedy?.command == nil)
            #expect(check.line.hasSuffix("set it to Production and Sandbox."))
            let later = desk.now + .days(31)
            #expect(try await checks(desk, at: later)["\(app) environments"] == nil, "that was another time")
            try await desk.test.asSuperuser("update tenants.apps set environments = '{Production,Sandbox}'")
            #expect(try await checks(desk)["\(app) environments"] == nil)
        }
    }

    @Test func `what to do is a sentence with a place for people, and a command at a shell`() async throws {
        try await Desk.open(withKey: false) { desk in
            let check = try #require(try await checks(desk)["\(app) key"])
            #expect(check.text.contains("com.example.alpha") && !check.text.contains("refund-desk"))
            #expect(!check.text.contains("tenant \(desk.alpha.app.tenant.rawValue)"))
            #expect(check.remedy?.text == "Add an In-App Purchase key.")
            #expect(check.line.contains("refund-desk key add --tenant alpha"))
        }
    }

    @Test func `another receiver that does not answer is told with its reason`() async throws {
        try await Desk.open { desk in
            let tenant = desk.alpha.app.tenant.rawValue
            let id = desk.alpha.app.id.rawValue
            try await desk.database.transaction(desk.alpha.app.tenant.scope) { tx in
                var changes = AppChanges()
                changes.relayURL = "https://hooks.example/x"
                try await TenantStore.change(
                    desk.alpha.app, changes, with: desk.vault, outbound: OutboundRules { _ in nil }, by: .commandLine,
                    at: desk.now, in: tx)
            }
            #expect(try await checks(desk)["\(app) relay"]?.state == .ok)
            try await desk.test.asSuperuser(
                """
                insert into refunds.relay_standings (tenant_id, app_id, failures, last_error, last_error_at)
                values (\(tenant), \(id), 3, 'answered 502', \(desk.now))
                """)
            let check = try #require(try await checks(desk)["\(app) relay"])
            #expect(check.state == .warn && check.text.contains("answered 502"))
            #expect(check.remedy?.command == "refund-desk relay retry --tenant alpha --bundle-id com.example.alpha")
        }
    }

    @Test func `a server that is to be asked is told of without a secret, and when it does not answer`() async throws {
        try await Desk.open { desk in
            #expect(try await checks(desk)["\(app) callback"] == nil)
            try await desk.askBack(at: "https://backend.example/x")
            #expect(try await checks(desk)["\(app) callback"]?.state == .ok)
            let (tenant, id) = (desk.alpha.app.tenant.rawValue, desk.alpha.app.id.rawValue)
            try await desk.test.asSuperuser(
                """
                insert into refunds.callback_standings (tenant_id, app_id, failures, last_error, last_error_at)
                values (\(tenant), \(id), 3, 'answered 502', \(desk.now))
                """)
            let check = try #require(try await checks(desk)["\(app) callback"])
            #expect(check.state == .warn && check.text.contains("answered 502"))
            try await desk.test.asSuperuser(
                "update tenants.apps set callback_secret_id = null, callback_secret_at = null")
            #expect(try await checks(desk)["\(app) callback"]?.text.contains("no secret") == true)
        }
    }

    @Test func `a token is told of two weeks before its end, and after it while it is still tried`() async throws {
        try await Desk.open { desk in
            let tenant = desk.alpha.app.tenant
            let tokens = APITokens(database: desk.database, clock: desk.clock.clock)
            let made = try await desk.database.transaction(tenant.scope) { tx in
                try await tokens.add(
                    to: tenant, app: nil, scopes: [.usage], name: "shop", end: .after(.days(20)), by: .commandLine,
                    in: tx)
            }
            func check() async throws -> Check? {
                try await checks(desk).first { $0.key.hasPrefix("token alpha/rd_") }?.value
            }
            desk.clock.advance(by: .days(7))
            #expect(try await check() == nil, "nobody uses it")
            #expect(try await tokens.token(made.text.reveal()) != nil)
            #expect(try await check()?.text.contains("shop") == true)
            desk.clock.advance(by: .days(30))
            #expect(try await check() == nil, "nobody has used it for long")
            #expect(try await tokens.token(made.text.reveal()) == nil, "it has ended")
            let ended = try #require(try await check())
            #expect(ended.state == .warn && ended.text.contains("has ended") && ended.remedy?.place == .tokens)
        }
    }

    @Test func `of a closed tenant the log and the sealed rows are looked at`() async throws {
        try await Desk.open { desk in
            let tenant = Tenant(id: desk.alpha.app.tenant, slug: "alpha", name: "alpha")
            func states() async throws -> [String: Check.State] {
                let checks = try await desk.database.transaction(tenant.id.scope) { tx in
                    try await TenantChecks.ofClosed(tenant, since: desk.now, vault: desk.vault, in: tx)
                }
                return Dictionary(checks.map { ($0.name, $0.state) }) { first, _ in first }
            }
            #expect(try await states() == ["tenant alpha": .ok, "audit alpha": .ok, "sealed alpha": .ok])
            try await desk.test.asSuperuser("update tenants.secrets set sealed = '\\x0102'")
            #expect(try await states()["sealed alpha"] == .warn)
        }
    }

    @Test func `a key beyond its grace time is named until Apple takes the new one`() async throws {
        try await Desk.open { desk in
            try await accept(desk)
            desk.clock.advance(by: .seconds(1))
            try await desk.addKey("NEWNEWNEW1")
            #expect(try await checks(desk)["key alpha/ABCDE12345"]?.state == .ok)
            desk.clock.advance(by: .days(8))
            let kept = try await checks(desk)["key alpha/ABCDE12345"]
            #expect(kept?.state == .warn && kept?.text.contains("NEWNEWNEW1") == true)
            try await refuse(desk)
            let production = try await checks(desk)["\(app) Production"]
            #expect(
                production?.state == .warn
                    && production?.text.contains("Meanwhile ABCDE12345 signs") == true)
        }
    }

    @Test func `somebody must be told: no channel, a dead one and one that wakes nobody at once are named`()
        async throws
    {
        try await Desk.open { desk in
            let none = try #require(try await checks(desk)["channels alpha"])
            #expect(none.state == .warn && none.text.contains("nobody is told") && none.remedy?.place == .channels)

            try await desk.addChannel { $0.after = .minutes(10) }
            try await desk.test.asSuperuser("update refunds.channels set last_success_at = now()")
            #expect(try await checks(desk)["channels alpha"]?.text.contains("second in line") == true)

            let first = try await desk.addChannel(.pagerduty) { $0.name = "Pager" }
            #expect(try await checks(desk)["channel alpha/Pager"]?.text == "was never used")
            try await desk.test.asSuperuser("update refunds.channels set last_success_at = now()")
            let well = try await checks(desk)
            #expect(well["channels alpha"]?.state == .ok && well["channel alpha/Pager"] == nil)

            let troubles: [(SQL, String)] = [
                ("off_at = now(), off_why = 'HTTP 404'", "switched off"),
                ("off_at = null, failures = 3", "does not take"),
            ]
            for (change, words) in troubles {
                try await desk.test.asSuperuser("update refunds.channels set \(change) where channel_id = \(first.id)")
                #expect(try await checks(desk)["channel alpha/Pager"]?.text.contains(words) == true)
                #expect(try await checks(desk)["channels alpha"]?.state == .warn)
            }
        }
    }

    @Test func `a rehearsal alone needs nobody to be told, and the installation may leave it to its tenants`() {
        let tenant = Tenant(id: TenantID(rawValue: 7), slug: "acme", name: "Acme")
        #expect(ChannelChecks.of([], tenant, isNeeded: false).isEmpty)
        let house = Tenant(id: .installation, slug: "installation", name: "This installation")
        let checks = ChannelChecks.of([], house, isNeeded: false)
        #expect(checks.map(\.state) == [.warn] && checks[0].text.contains("its tenants hear"))
    }
}

import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Journal
import Loop
import Postgres
import Queue
import Simulator
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// A desk whose app is connected to a small Apple; both read the same clock.
struct ConnectedDesk: Sendable {
    static let client = HTTPClient(
        name: "onboarding-test", options: HTTPClient.Options(), journal: .silent, counters: Counters())
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"

    let desk: Desk
    let apple: SmallApple
    let api: AppStoreServerAPI
    let onboarding: Onboarding

    var app: App { desk.alpha.app }

    static func open(withKey: Bool = true, _ body: (ConnectedDesk) async throws -> Void) async throws {
        try await Desk.open(withKey: withKey) { desk in
            var settings = SmallApple.Settings()
            settings.manners = .calm
            settings.clock = desk.clock.clock
            let apple = try await SmallApple.start(loops: .forTests, settings: settings)
            let api = AppStoreServerAPI(
                hosts: AppStoreHosts(production: apple.apiURL(.production), sandbox: apple.apiURL(.sandbox)),
                http: client, clock: desk.clock.clock, journal: .silent, counters: Counters())
            let side = AppleSide(
                verifier: Verifier(trust: .builtIn, clock: desk.clock.clock), api: api,
                commerce: desk.side.commerce(for: desk.alpha.app), rehearsalHTTP: client,
                clock: desk.clock.clock, journal: .silent,
                counters: Counters())
            let connected = ConnectedDesk(
                desk: desk, apple: apple, api: api,
                onboarding: Onboarding(
                    database: desk.database, vault: desk.vault, apple: side, tokens: TokenCache(), bell: desk.bell,
                    clock: desk.clock.clock, journal: .silent))
            do {
                try await body(connected)
            } catch {
                await apple.stop()
                throw error
            }
            await apple.stop()
        }
    }

    /// Apple knows the app and the key's public half, unless a test spoils one thing.
    func register(
        issuerID: String = issuerID, bundleID: String = "com.example.alpha", keyID: String = "ABCDE12345",
        _ change: (inout RegisteredApp) -> Void = { _ in }
    ) async throws {
        let rows = try await desk.test.asSuperuser(
            "select public_key from tenants.signing_keys where tenant_id = \(app.tenant.rawValue) and state = 'active'")
        var registered = RegisteredApp(bundleID: bundleID, appAppleID: 6_450_000_001, issuerID: issuerID)
        change(&registered)
        let row = try #require(rows.first)
        let point: [UInt8] = try row("public_key")
        apple.register(registered, keyID: keyID, publicKey: try P256PublicKey(x963: point))
    }

    @discardableResult
    func probe() async throws -> [Probe] {
        desk.clock.advance(by: .seconds(11))
        return try await onboarding.probe(app, by: .commandLine)
    }

    func state() async throws -> OnboardingState {
        try await desk.database.transaction(app.tenant.scope) { tx in try await onboarding.state(of: app, in: tx) }
    }

    /// Works off everything that is due, looks at tests among it.
    func work() async throws {
        let question = AppleQuestion(vault: desk.vault, tokens: desk.replies.tokens, clock: desk.clock.clock)
        let looks = TestStatusJob(database: desk.database, question: question, journal: .silent) {
            [api] _, testToken, environment, token in
            await api.testNotificationStatus(testToken, environment: environment, token: token)
        }
        while let job = try await desk.claim() {
            if RefundJobs.Kind(rawValue: job.kind) == .testStatus {
                try await looks.run(job)
            } else {
                try await desk.run(job)
            }
        }
    }

    /// Moves the clock to each look at a test in turn.
    func lookOn() async throws {
        for step in [3, 7, 20, 60] {
            desk.clock.advance(by: .seconds(step))
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await work()
        }
    }

    func received(by server: ScriptedServer) async throws {
        _ = await server.received(count: 1)
        // The attempt is kept when its answer has been read.
        while apple.shelves.notifications.last?.attempts.isEmpty != false { await Task.yield() }
    }
}

@Suite("Trying a key", .timeLimit(.minutes(10)))
struct ProbeTests {
    @Test func `a good key is accepted in both environments, and everything is kept`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            let probes = try await desk.probe()
            #expect(probes.map(\.environment) == ["Production", "Sandbox"])
            #expect(probes.map(\.result) == [.accepted, .accepted])
            let calls = desk.apple.ledger.calls
            #expect(calls.map(\.path) == Array(repeating: "/inApps/v1/notifications/history", count: 2))
            let state = try await desk.state()
            #expect(state.facts.probes.production?.status == 200 && state.facts.probes.sandbox?.clockOffset != nil)
            #expect(state.readiness.first { $0.step == .probe }?.state == .done)
            #expect(try await desk.desk.count("tenants.audit where action = 'key.probed'") == 2)
            #expect(try await desk.desk.count("tenants.key_standings where accepted_at is not null") == 2)
            #expect(
                try await desk.desk.count("queue.lanes where free_at > '-infinity'") == 2,
                "counted in the lanes' permits"
            )
        }
    }

    @Test func `BL-016: an app that is not on sale is told from a wrong key by Sandbox`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register { $0.isReleased = false }
            #expect(try await desk.probe().map(\.result) == [.refused, .accepted])
            let words = try await desk.state().verdicts
            #expect(words.production?.cause?.contains("not on sale yet") == true)
            #expect(words.sandbox?.summary.contains("accepts") == true)
            // Each environment stands by itself.
            let standings = try await desk.desk.test.asSuperuser(
                "select environment, refused_since is not null as refused from tenants.key_standings order by environment"
            )
            #expect(try standings.map { try $0("refused") as Bool } == [true, false])
        }
    }

    @Test(arguments: ["key", "key ID", "issuer", "bundle", "team"])
    func `BL-003: what is wrong is one bare 401, and the short list is left`(wrong: String) async throws {
        try await ConnectedDesk.open { desk in
            switch wrong {
            case "key":
                try await desk.register()
                desk.apple.keys.put(
                    try P256Key.generate().publicKey, keyID: "ABCDE12345", issuerID: ConnectedDesk.issuerID)
            case "key ID": try await desk.register(keyID: "ZZZZZ99999")
            case "issuer", "team": try await desk.register(issuerID: "00000000-0000-0000-0000-000000000000")
            default: try await desk.register(bundleID: "com.example.Alpha")
            }
            #expect(try await desk.probe().map(\.result) == [.refused, .refused])
            let words = try #require(try await desk.state().verdicts.production)
            #expect(words.cause == nil)
            #expect(words.left.count == 6, "all but the clock, which was measured")
        }
    }

    @Test(arguments: [600, 45, -200])
    func `BL-018: our clock is measured against Apple's, and named only where it is the cause`(ahead: Int) async throws
    {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            desk.apple.clockOffset = .seconds(-ahead)
            let probes = try await desk.probe()
            #expect(probes.allSatisfy { $0.result == (ahead == 600 ? .refused : .accepted) })
            let offset = try #require(probes.first?.clockOffset)
            #expect(abs((offset - .seconds(ahead)).wholeMilliseconds) <= 1000)
            let words = try #require(try await desk.state().verdicts.production)
            #expect((words.cause?.contains("10 minutes ahead") == true) == (ahead == 600))
            #expect(words.remarks.isEmpty == (ahead == 600))
        }
    }

    @Test func `BL-003: an accepted probe opens a paused key, and what waited goes out`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.desk.consent()
            desk.desk.apple.always(ScriptedApple.unauthenticated)
            try await desk.desk.take(desk.desk.note("CONSUMPTION_REQUEST", desk.desk.tx()))
            #expect(desk.desk.apple.calls.count == 1)
            desk.desk.apple.always(nil)
            try await desk.register()
            try await desk.probe()
            // Its wait of minutes is over at once.
            try await desk.work()
            #expect(desk.desk.apple.calls.count == 2)
            #expect(try await desk.desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `a key that worked and is refused is most likely revoked, and waits as after a refused reply`()
        async throws
    {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            try await desk.probe()
            desk.apple.keys.revoke("ABCDE12345")
            #expect(try await desk.probe().first?.result == .refused)
            #expect(try await desk.desk.count("tenants.key_standings where paused_until is not null") == 2)
            let words = try #require(try await desk.state().verdicts.production)
            #expect(words.cause?.contains("revoked") == true, "Apple took it before")
        }
    }

    @Test func `it is tried once in ten seconds, and not without a key`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            try await desk.probe()
            await #expect(throws: OnboardingError.tooSoon(again: desk.desk.now + .seconds(10))) {
                try await desk.onboarding.probe(desk.app, by: .commandLine)
            }
            #expect(desk.apple.ledger.calls.count == 2)
        }
        try await ConnectedDesk.open(withKey: false) { desk in
            await #expect(throws: OnboardingError.noKey) {
                try await desk.onboarding.probe(desk.app, by: .commandLine)
            }
        }
    }

    @Test func `another key is tried at once, however lately the one before was`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            try await desk.probe()
            desk.desk.clock.advance(by: .seconds(1))
            try await desk.desk.addKey("NEWNEWNEW1")
            try await desk.register(keyID: "NEWNEWNEW1")
            let probes = try await desk.onboarding.probe(desk.app, by: .commandLine)
            #expect(probes.map(\.result) == [.accepted, .accepted])
            #expect(try await desk.state().facts.keys.first?.key.keyID == "NEWNEWNEW1")
        }
    }

    @Test func `a reply that Apple took proves the key without a try`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.desk.consent()
            #expect(try await desk.state().facts.trial(isSandbox: false) == nil)
            desk.desk.apple.always(ScriptedApple.unauthenticated)
            try await desk.desk.take(desk.desk.note("CONSUMPTION_REQUEST", desk.desk.tx()))
            #expect(try await desk.state().facts.trial(isSandbox: false)?.result == .refused)
            desk.desk.apple.always(nil)
            desk.desk.clock.advance(by: .minutes(5))
            try await desk.desk.work()
            let trial = try await desk.state().facts.trial(isSandbox: false)
            #expect(trial?.result == .accepted && trial?.source == .call)
            #expect(try await desk.state().facts.trial(isSandbox: true) == nil)
        }
    }

    @Test func `an app for Sandbox alone is tried there alone`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            try await desk.desk.test.asSuperuser("update tenants.apps set environments = '{Sandbox}'")
            #expect(try await desk.probe().map(\.environment) == ["Sandbox"])
        }
    }

    @Test func `an Apple that cannot be reached, or answers oddly, says nothing of the key`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            await desk.apple.stop()
            #expect(try await desk.probe().map(\.result) == [.unreachable, .unreachable])
            #expect(try await desk.desk.count("tenants.key_standings where refused_since is not null") == 0)
        }
    }
}

@Suite("Sending a test", .timeLimit(.minutes(10)))
struct SendTestTests {
    private func send(_ desk: ConnectedDesk, isSandbox: Bool = true) async throws -> TestNotification {
        try await desk.onboarding.sendTest(desk.app, isSandbox: isSandbox, by: .commandLine)
    }

    @Test func `a test that arrives is seen at once, and Apple is not asked again`() async throws {
        try await ConnectedDesk.open { desk in
            let server = try ScriptedServer(steps: [.answer(200)])
            try await desk.register { $0.notificationURLs = [.sandbox: server.url + "/n"] }
            let asked = try await send(desk)
            #expect(asked.state == .asked && asked.status == 200)
            desk.desk.clock.advance(by: .milliseconds(700))
            try await desk.desk.take(
                desk.desk.note("TEST") {
                    $0["data"]?["environment"] = "Sandbox"; $0["data"]?["appAppleId"] = nil
                })
            let state = try await desk.state()
            #expect(state.facts.tests.sandbox?.state == .arrived)
            #expect(state.facts.tests.sandbox?.took == .milliseconds(700))
            #expect(state.testWords.sandbox?.state == .done)
            #expect(state.facts.heard.sandbox?.isTest == true && state.facts.heardReal.sandbox == nil)
            let calls = desk.apple.ledger.calls.count
            try await desk.lookOn()
            #expect(desk.apple.ledger.calls.count == calls)
            #expect(try await desk.desk.count("queue.jobs") == 0)
            #expect(try await desk.desk.count("tenants.audit where action = 'test.requested'") == 1)
        }
    }

    @Test func `one environment's arrival is not the other's`() async throws {
        try await ConnectedDesk.open { desk in
            let server = try ScriptedServer(steps: [.answer(200)])
            try await desk.register { $0.notificationURLs = [.sandbox: server.url, .production: server.url] }
            _ = try await send(desk, isSandbox: false)
            _ = try await send(desk, isSandbox: true)
            try await desk.desk.take(desk.desk.note("TEST"))
            let state = try await desk.state()
            #expect(state.facts.tests.production?.state == .arrived && state.facts.tests.sandbox?.state == .asked)
        }
    }

    @Test func `no URL is Apple's own word for it`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register()
            let test = try await send(desk)
            #expect(test.state == .refused && test.appleCode == 4_040_007)
            let state = try await desk.state()
            #expect(state.testWords.sandbox?.summary == "Apple has no notification URL for Sandbox.")
            #expect(state.readiness.first { $0.step == .url }?.state != .done)
            try await desk.lookOn()
            #expect(try await desk.desk.count("queue.jobs") == 0)
        }
    }

    @Test(arguments: [
        (ScriptedServer.Step.answer(500), "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
        (.answer(301, fields: [("Location", "/n")]), "UNSUCCESSFUL_HTTP_RESPONSE_CODE"), (.reset, "PREMATURE_CLOSE"),
        (.raw("nonsense\r\n\r\n"), "INVALID_RESPONSE"),
    ])
    func `what went wrong is Apple's real result`(step: ScriptedServer.Step, result: String) async throws {
        try await ConnectedDesk.open { desk in
            let server = try ScriptedServer(steps: [step])
            try await desk.register { $0.notificationURLs = [.sandbox: server.url + "/n"] }
            _ = try await send(desk)
            try await desk.received(by: server)
            desk.desk.clock.advance(by: .seconds(3))
            try await desk.work()
            let test = try #require(try await desk.state().facts.tests.sandbox)
            #expect(test.state == .notArrived && test.sendAttemptResult == result)
            #expect(test.notification != nil && test.attemptedAt != nil)
            #expect(try await desk.desk.count("queue.jobs") == 0)
        }
    }

    @Test func `a success that is not here is looked at once more, and then went to another server`() async throws {
        try await ConnectedDesk.open { desk in
            let server = try ScriptedServer(steps: [.answer(200)])
            try await desk.register { $0.notificationURLs = [.sandbox: server.url + "/n"] }
            _ = try await send(desk)
            try await desk.received(by: server)
            desk.desk.clock.advance(by: .seconds(3))
            try await desk.work()
            #expect(try await desk.state().facts.tests.sandbox?.state == .asked)
            desk.desk.clock.advance(by: .seconds(7))
            try await desk.desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.work()
            let state = try await desk.state()
            #expect(state.facts.tests.sandbox?.state == .notArrived)
            #expect(state.testWords.sandbox?.summary.contains("another server") == true)
        }
    }

    @Test func `a result that never comes ends the looking, and a late arrival still counts`() async throws {
        try await ConnectedDesk.open { desk in
            let server = try ScriptedServer(steps: [.silence])
            try await desk.register { $0.notificationURLs = [.sandbox: server.url + "/n"] }
            _ = try await send(desk)
            try await desk.lookOn()
            let test = try #require(try await desk.state().facts.tests.sandbox)
            #expect(test.state == .notArrived && test.sendAttemptResult == nil)
            #expect(test.detail.contains("90 seconds"))
            #expect(desk.apple.ledger.calls.count == 5, "one request and four looks")
            #expect(try await desk.desk.count("queue.jobs") == 0)
            try await desk.desk.take(
                desk.desk.note("TEST") {
                    $0["data"]?["environment"] = "Sandbox"; $0["data"]?["appAppleId"] = nil
                })
            #expect(try await desk.state().facts.tests.sandbox?.state == .arrived)
        }
    }

    @Test func `once a second is enough, and a refused key is said so`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register(keyID: "ZZZZZ99999")
            #expect(try await send(desk).status == 401)
            await #expect(throws: OnboardingError.self) { try await send(desk) }
            #expect(desk.apple.ledger.calls.count == 1)
            #expect(try await desk.state().testWords.sandbox?.summary.contains("refused the key") == true)
        }
    }

    @Test func `a TEST that nobody asked for changes no test, and a version 1 delivery is recognised`() async throws {
        try await ConnectedDesk.open { desk in
            try await desk.register { $0.notificationVersions = [.production: 1, .sandbox: 1] }
            try await desk.desk.take(desk.desk.note("TEST"))
            #expect(try await desk.state().facts.isVersionOne == false)
            let sent = try desk.apple.write(NotificationOrder("CONSUMPTION_REQUEST", bundleID: "com.example.alpha"))
            desk.desk.clock.advance(by: .seconds(1))
            guard case .rejected(let reason, _) = await desk.desk.post(sent.body) else {
                Issue.record("an unsigned body was taken")
                return
            }
            #expect(reason == "version-1-notification")
            let state = try await desk.state()
            #expect(state.facts.isVersionOne && state.facts.refused?.reason == "version-1-notification")
            #expect(state.readiness.first { $0.step == .url }?.state == .trouble)
            desk.desk.clock.advance(by: .seconds(1))
            try await desk.desk.take(desk.desk.note("CONSUMPTION_REQUEST", desk.desk.tx()))
            #expect(try await desk.state().facts.isVersionOne == false)
        }
    }
}

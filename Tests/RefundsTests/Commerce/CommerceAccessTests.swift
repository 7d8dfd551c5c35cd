import AppStore
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `Whether the door of Advanced Commerce is open` {
    private static let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)

    /// A desk whose queue was stopped by a refusal that no table explains, at an Apple that answers as told.
    private static func stopped(
        _ steps: [ScriptedServer.Step], _ body: (Desk, CommerceDesk, ScriptedServer) async throws -> Void
    ) async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.advancedCommerce.script(.doubted(ScriptedCommerce.answer(403, 4_039_999)))
            _ = try await desk.ask(desk.refund("addon.a"))
            try await desk.run(try #require(try await desk.claim(.commerce)))
            let server = try ScriptedServer(steps: steps)
            let apple = AppleSide.sample(trusting: [desk.chain.root], calling: server.url, clock: desk.clock.clock)
            try await body(desk, desk.commerce(at: apple), server)
            server.stop()
        }
    }

    private static func access(_ desk: Desk) async throws -> CommerceAccess {
        try #require(try await Records(database: desk.database).commerceAccess(of: desk.alpha.app).first)
    }

    private static func code(_ code: Int64) -> ScriptedServer.Step {
        .answer(Int(code / 10_000), body: #"{"errorCode":\#(code)}"#)
    }

    @Test(arguments: [code(4_040_010), code(4_030_008), code(4_030_013), .answer(200, body: "{}")])
    func `it is where Apple looked the transaction up, and the queue goes on`(step: ScriptedServer.Step) async throws {
        try await Self.stopped([step]) { desk, commerce, server in
            let access = try await commerce.checkAddendum(
                app: desk.alpha.app, environment: .production, by: Self.admin)
            #expect(!access.isStopped && access.addendum == .accepted && access.wentThroughAt == desk.now)
            let call = try #require(server.received.first)
            #expect(call.target == "/advancedCommerce/v1/subscription/cancel/1" && server.received.count == 1)
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.work()
            #expect(try await desk.count("refunds.commerce_requests where state = 'accepted'") == 1)
        }
    }

    @Test(arguments: [
        code(4_000_173), code(4_000_006), code(4_000_135), code(4_000_079), code(5_000_000), .answer(401),
        .answer(429), .answer(500), .answer(408), .close,
    ])
    func `any other answer does not tell, and the queue stays stopped`(step: ScriptedServer.Step) async throws {
        try await Self.stopped([step]) { desk, commerce, server in
            let app = desk.alpha.app
            let before = try await Self.access(desk)
            await #expect(throws: CommerceRefused.self) {
                try await commerce.checkAddendum(app: app, environment: .production, by: Self.admin)
            }
            var after = try await Self.access(desk)
            #expect(after.checkedAt == desk.now)
            after.checkedAt = before.checkedAt
            #expect(after == before && after.isStopped)
        }
    }

    @Test(arguments: [code(4_010_000), code(4_031_234), .answer(403), .answer(404, body: "<html>")])
    func `a refusal that no table explains is kept to the byte`(step: ScriptedServer.Step) async throws {
        try await Self.stopped([step]) { desk, commerce, _ in
            let access = try await commerce.checkAddendum(
                app: desk.alpha.app, environment: .production, by: Self.admin)
            #expect(access.isStopped && access.addendum == .refused)
            #expect(access.refusal?.call == .cancel && access.refusal?.request == nil)
            guard case .answer(let status, _, let body) = step else { return }
            #expect(access.refusal?.status == status)
            #expect(access.refusal.map { String(decoding: $0.body, as: UTF8.self) } == body)
        }
    }

    @Test func `a key that Apple refused is not tried again by whoever asks next`() async throws {
        try await Desk.open { desk in
            let server = try ScriptedServer(steps: [.answer(401)])
            let commerce = desk.commerce(
                at: AppleSide.sample(trusting: [desk.chain.root], calling: server.url, clock: desk.clock.clock))
            let app = desk.alpha.app
            for _ in 0..<3 {
                await #expect(throws: CommerceRefused.self) {
                    try await commerce.checkAddendum(app: app, environment: .production, by: Self.admin)
                }
                await #expect(throws: CommerceRefused.self) {
                    try await commerce.look(app: app, environment: .production, transactionID: "2000000900000099")
                }
            }
            #expect(server.received.count == 1)
            desk.clock.advance(by: KeyStandings.probeEvery)
            await #expect(throws: CommerceRefused.self) {
                try await commerce.look(app: app, environment: .production, transactionID: "2000000900000099")
            }
            #expect(server.received.count == 2)
            // A repaired key begins anew.
            try await desk.addKey("FGHIJ67890")
            await #expect(throws: CommerceRefused.self) {
                try await commerce.checkAddendum(app: app, environment: .production, by: Self.admin)
            }
            #expect(server.received.count == 3)
        }
    }

    @Test func `a call that tells nothing of the key lets the next one try it`() async throws {
        try await Desk.open { desk in
            let server = try ScriptedServer(steps: [.answer(500), .close, .answer(429), Self.code(4_040_010)])
            let commerce = desk.commerce(
                at: AppleSide.sample(trusting: [desk.chain.root], calling: server.url, clock: desk.clock.clock))
            for _ in 0..<3 {
                await #expect(throws: CommerceRefused.self) {
                    try await commerce.checkAddendum(app: desk.alpha.app, environment: .production, by: Self.admin)
                }
            }
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            let access = try await commerce.checkAddendum(
                app: desk.alpha.app, environment: .production, by: Self.admin)
            #expect(access.addendum == .accepted)
        }
    }

    @Test func `whoever may look only, and a program, makes no such call`() async throws {
        try await Self.stopped([Self.code(4_040_010)]) { desk, commerce, server in
            for actor in [
                CommerceActor.person(PersonID(rawValue: UUID()), .viewer, address: nil), .token(UUID()),
            ] {
                await #expect(throws: CommerceRefused.self) {
                    try await commerce.checkAddendum(app: desk.alpha.app, environment: .production, by: actor)
                }
            }
            #expect(server.received.isEmpty)
        }
    }

    // MARK: as a fact

    @Test func `readiness and the checks say that the queue is stopped, why, and what waits`() async throws {
        try await Self.stopped([Self.code(4_040_010)]) { desk, commerce, _ in
            let records = Records(database: desk.database)
            let stopped = try await records.commerceReadiness(of: desk.alpha.app)
            #expect(stopped.state == .trouble && stopped.lines.map(\.environment) == [.production])
            #expect(stopped.lines.first?.waiting == 1)
            for words in ["stopped since \(desk.now.iso8601)", "1 waiting", "403, code 4039999"] {
                #expect(stopped.text.contains(words), "\(stopped.text)")
            }
            let check = try await Self.check(desk)
            #expect(check?.state == .fail && check?.text == stopped.lines.first?.text)

            _ = try await commerce.release(app: desk.alpha.app, environment: .production, by: Self.admin)
            #expect(try await Self.check(desk)?.state == .warn)
            #expect(try await Self.check(desk)?.text.contains("none has gone through since") == true)

            _ = try await commerce.checkAddendum(app: desk.alpha.app, environment: .production, by: Self.admin)
            #expect(try await Self.check(desk)?.state == .ok)
            #expect(try await records.commerceReadiness(of: desk.alpha.app).state == .todo, "nobody said as what")
            _ = try await commerce.setApproval(
                .addOns, app: desk.alpha.app, environment: .production, by: Self.admin)
            let ready = try await records.commerceReadiness(of: desk.alpha.app)
            #expect(ready.state == .done && ready.text.contains("Approved (add-ons)"))
        }
    }

    @Test func `calls that fail for an app that nobody said is approved are pointed at`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let before = try await Records(database: desk.database).commerceReadiness(of: desk.alpha.app)
            #expect(before.isUsed && before.state == .todo, "sold, and never called")
            #expect(try await Self.check(desk)?.state == .ok)
            desk.advancedCommerce.script(.refused(ScriptedCommerce.answer(400, 4_000_135)))
            _ = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            let check = try await Self.check(desk)
            #expect(check?.state == .warn && check?.text.contains("approved the app") == true)
            #expect(try await Self.access(desk).addendum == .unknown, "the code does not tell of the door")
        }
    }

    @Test func `an app that sells nothing so has no line, another tenant's shows nothing`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let records = Records(database: desk.database)
            #expect(try await !records.commerceReadiness(of: desk.beta.app).isUsed)
            #expect(try await records.commerceReadiness(of: desk.beta.app).state == .done)
        }
    }

    private static func check(_ desk: Desk) async throws -> Check? {
        let app = desk.alpha.app
        return try await desk.database.transaction(app.tenant.scope) { tx in
            try await TenantChecks.of(
                Tenant(id: app.tenant, slug: "alpha", name: "alpha"), vault: desk.vault,
                tokens: APITokens(database: desk.database, clock: desk.clock.clock), at: desk.now, in: tx)
        }.first { $0.name == "app alpha/com.example.alpha commerce Production" }
    }
}

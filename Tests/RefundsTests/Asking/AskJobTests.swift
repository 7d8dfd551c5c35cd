import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Asking apps' servers") struct AskJobTests {
    private static let policy = "if use is part then ask a person, else prefer DECLINE\notherwise send facts only"

    /// A desk whose app is asked at a scripted server.
    private func asking(
        _ script: @escaping ScriptedServer.Script, _ body: (Desk, ScriptedServer, String) async throws -> Void
    ) async throws {
        try await Desk.open { desk in
            let server = try ScriptedServer(script)
            let secret = try await desk.askBack(at: server.url + "/evidence?key=1")
            try await body(desk, server, secret)
        }
    }

    private func note(_ desk: Desk) async throws -> String {
        let rows = try await desk.test.asSuperuser("select detail from refunds.case_notes where kind = 'callback'")
        return try rows.map { try $0("detail") as String }.joined(separator: "\n")
    }

    private static func knowing(_ desk: Desk, _ more: String = "") -> String {
        let at = (desk.now - .hours(2)).milliseconds
        return #"""
            {"consent":{"consented":true,"recordedAt":\#(at)},"deliveryStatus":"DELIVERED","consumptionPercentage":100000,
            "sampleContentProvided":true,"observedAt":\#(at),"note":"All coins are spent.","unknown":[1]\#(more)}
            """#
    }

    // MARK: asked and answered

    @Test func `the question is signed, names what is asked about, and its answer goes out at once`() async throws {
        let answer = Mutex("")
        try await asking { _, _ in
            .answer(200, fields: [("Content-Type", "application/json")], body: answer.withLock { $0 })
        } _: { desk, server, secret in
            answer.withLock { $0 = Self.knowing(desk) }
            let request = try desk.note("CONSUMPTION_REQUEST", desk.tx())
            try await desk.take(request)

            let asked = try #require(server.received.first)
            #expect(server.received.count == 1 && asked.method == "POST" && asked.target == "/evidence?key=1")
            let id = try #require(asked.field("webhook-id"))
            let timestamp = try #require(asked.field("webhook-timestamp"))
            let key = try #require(WebhookSecret(secret))
            let signed = Base64.encode(key.sign(Array("\(id).\(timestamp).".utf8) + asked.body))
            #expect(asked.field("webhook-signature") == "v1,\(signed)" && timestamp == String(desk.now.seconds))
            let question = try JSONDocument(asked.body).root
            #expect(
                question.members.map(\.name) == [
                    "type", "bundleId", "environment", "transactionId", "originalTransactionId", "productId",
                    "appAccountToken", "reason", "signedDate", "deadline",
                ])
            #expect(question["type"]?.string == "refund.requested" && question["reason"]?.string == "OTHER")
            #expect(question["transactionId"]?.string == "2000000900000001")
            #expect(question["deadline"]?.moment == question["signedDate"]?.moment.map { $0 + .hours(12) })

            let sent = try #require(desk.apple.calls.first)
            #expect(sent.body.contains(#""consumptionPercentage":100000"#) && sent.at == desk.now)
            #expect(sent.body.contains(#""sampleContentProvided":true"#))
            #expect(try await desk.cases().map(\.state) == ["answered"])
            #expect(try await desk.count("refunds.consent_changes where source = 'callback' and consented") == 1)
            #expect(try await desk.count("refunds.usage where source = 'callback' and share = 100000") == 1)
            #expect(
                try await desk.count("refunds.rounds where decision like '%told by the app''s server when asked%'") == 1
            )
            let told = try await note(desk)
            #expect(told.contains("All coins are spent.") && told.contains("consent given, DELIVERED, 100 % used"))
        }
    }

    @Test
    func `BL-022: a purchase without a token is asked about without one, and its consent counts for the purchase`()
        async throws
    {
        let answer = Mutex("")
        try await asking { _, _ in
            .answer(200, body: answer.withLock { $0 })
        } _: { desk, server, _ in
            answer.withLock { $0 = Self.knowing(desk) }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["appAccountToken"] = nil }))
            #expect(server.received.first?.text.contains("appAccountToken") == false)
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.count("refunds.consents where of = 'purchase' and consented") == 1)
        }
    }

    @Test func `BL-010: consent that the server dates after the request counts for the next one alone`() async throws {
        let answer = Mutex("")
        try await asking { _, _ in
            .answer(200, body: answer.withLock { $0 })
        } _: { desk, _, _ in
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            desk.clock.advance(by: .seconds(30))
            answer.withLock {
                $0 = #"{"consent":{"consented":true,"recordedAt":\#((desk.now - .seconds(5)).milliseconds)}}"#
            }
            try await desk.work()
            #expect(try await desk.cases().map(\.reason) == ["no-consent"] && desk.apple.calls.isEmpty)
            desk.clock.advance(by: .minutes(1))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            #expect(desk.apple.calls.first?.body.contains(#""customerConsented":true"#) == true)
        }
    }

    @Test func `BL-010: a withdrawal that the server tells of stops the reply`() async throws {
        let answer = Mutex("")
        try await asking { _, _ in
            .answer(200, body: answer.withLock { $0 })
        } _: { desk, _, _ in
            try await desk.consent()
            answer.withLock {
                $0 = #"{"consent":{"consented":false,"recordedAt":\#((desk.now - .minutes(1)).milliseconds)}}"#
            }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.cases().map(\.reason) == ["no-consent"] && desk.apple.calls.isEmpty)
        }
    }

    @Test func `BL-009: zero, a value and nothing stay three things, and a subscription is never sent one`()
        async throws
    {
        let answer = Mutex("")
        try await asking { _, _ in
            .answer(200, body: answer.withLock { $0 })
        } _: { desk, _, _ in
            try await desk.consent()
            answer.withLock { $0 = #"{"deliveryStatus":"DELIVERED","consumptionPercentage":0}"# }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            answer.withLock { $0 = #"{"deliveryStatus":"DELIVERED"}"# }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = "2000000900000002" }))
            answer.withLock { $0 = #"{"deliveryStatus":"DELIVERED","consumptionPercentage":0}"# }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.sub()))
            let bodies = desk.apple.calls.map(\.body)
            #expect(bodies.map { $0.contains(#""consumptionPercentage":0"#) } == [true, false, false])
        }
    }

    @Test func `what was wrong with an answer stands on the case, and the rest of it counts`() async throws {
        try await asking { _, _ in
            .answer(200, body: #"{"deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":"half","note":7}"#)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.first?.body.contains("UNDELIVERED_OTHER") == true)
            let told = try await note(desk)
            #expect(told.contains("consumptionPercentage was not taken") && told.contains("note was not taken"))
        }
    }

    @Test func `a person is asked after the server, with what it said`() async throws {
        try await asking { _, _ in
            .answer(200, body: #"{"deliveryStatus":"DELIVERED","consumptionPercentage":40000}"#)
        } _: { desk, server, _ in
            try await desk.save(Self.policy)
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(server.received.count == 1 && desk.apple.calls.isEmpty)
            #expect(try await desk.cases().map(\.state) == ["held"])
        }
    }

    // MARK: not answered

    @Test func `while it is silent the reply waits for half of the time, and then goes with what is known`()
        async throws
    {
        try await asking { _, _ in
            .answer(503)
        } _: { desk, server, _ in
            try await desk.consent()
            try await desk.usage(.delivered, share: 100_000)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let begun = desk.now
            #expect(desk.apple.calls.isEmpty)
            try await desk.workOn(until: begun + .hours(5) + .minutes(49))
            #expect(desk.apple.calls.isEmpty && server.received.count > 20)
            #expect(Set(server.received.compactMap { $0.field("webhook-id") }).count == 1)
            try await desk.workOn(until: begun + .hours(6) + .minutes(1))
            let sent = try #require(desk.apple.calls.first)
            #expect(desk.apple.calls.count == 1 && sent.at <= begun + .hours(6) + .seconds(2))
            #expect(sent.body.contains(#""consumptionPercentage":100000"#))
            #expect(try await desk.cases().map(\.state) == ["answered"])
            #expect(try await note(desk).contains("silent"))
            #expect(desk.test.counters.value("callback_questions_total", ["result": "silent"]) == 1)
            let tries = server.received.count
            try await desk.workOn(until: begun + .hours(12))
            #expect(server.received.count == tries)
        }
    }

    @Test func `in the sandbox it is waited for twenty seconds`() async throws {
        try await asking { _, _ in
            .answer(500)
        } _: { desk, server, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["environment"] = "Sandbox" }))
            let begun = desk.now
            try await desk.workOn(until: begun + .seconds(25))
            let sent = try #require(desk.apple.calls.first)
            #expect(sent.at <= begun + .seconds(21) && server.received.count >= 3)
        }
    }

    @Test func `an answer that comes after some tries is taken at that moment`() async throws {
        try await asking { _, number in
            number < 3 ? .answer(502) : .answer(200, body: #"{"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE"}"#)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let begun = desk.now
            try await desk.workOn(until: begun + .minutes(10))
            #expect(desk.apple.calls.first?.body.contains("UNDELIVERED_SERVER_OUTAGE") == true)
            #expect(try await desk.count("refunds.callback_standings where failures = 0") == 1)
        }
    }

    @Test(arguments: [404, 410, 307])
    func `what will not become better ends the wait at once`(status: Int) async throws {
        try await asking { _, _ in
            .answer(status, fields: [("Location", "https://elsewhere.example/")], body: "{}")
        } _: { desk, server, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1 && server.received.count == 1)
            #expect(try await note(desk).contains("refused"))
        }
    }

    @Test func `an address of a private network is not called, and the reply goes out`() async throws {
        try await Desk.open { desk in
            try await desk.askBack(at: "https://10.0.0.1/evidence")
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.count("refunds.asks where state = 'refused'") == 1)
        }
    }

    // MARK: not asked

    @Test func `of family copies, of late requests and without a secret nothing is asked`() async throws {
        try await asking { _, _ in
            .answer(200)
        } _: { desk, server, _ in
            try await desk.consent()
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["inAppOwnershipType"] = "FAMILY_SHARED" }))
            let late = desk.now - .hours(13)
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = "2000000900000003" }) {
                    $0["signedDate"] = .number(late.milliseconds)
                })
            try await desk.test.asSuperuser(
                "update tenants.apps set callback_secret_id = null, callback_secret_at = null")
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = "2000000900000004" }))
            #expect(server.received.isEmpty && desk.apple.calls.count >= 1)
            #expect(try await desk.count("refunds.asks") == 0)
        }
    }

    @Test func `once the callback is switched off nobody waits any more`() async throws {
        try await asking { _, _ in
            .answer(503)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.isEmpty)
            try await desk.test.asSuperuser("update tenants.apps set evidence = 'push'")
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.count == 1)
        }
    }

    // MARK: once

    @Test func `a process that dies while it asks leaves a question that is asked again, and one reply`() async throws {
        try await asking { _, number in
            number == 0 ? .silence : .answer(200, body: #"{"deliveryStatus":"DELIVERED"}"#)
        } _: { desk, server, _ in
            try await desk.consent()
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.run(try #require(try await desk.claim(.reply)))
            let dying = try #require(try await desk.claim(.ask))
            #expect(try await desk.claim(.ask) == nil)
            let task = Task { try await desk.run(dying) }
            _ = await server.received(count: 1)
            try await desk.rescue()
            task.cancel()
            _ = try? await task.value
            desk.clock.advance(by: .seconds(2))
            try await desk.work()
            #expect(server.received.count == 2 && desk.apple.calls.count == 1)
            #expect(Set(server.received.compactMap { $0.field("webhook-id") }).count == 1)
        }
    }

    @Test func `a server that is away is left alone between tries, whichever request it is about`() async throws {
        try await asking { _, _ in
            .answer(500)
        } _: { desk, server, _ in
            try await desk.consent()
            for n in 1...6 {
                try await desk.take(
                    desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = .text("200000090000001\(n)") }))
            }
            let begun = desk.now
            try await desk.workOn(until: begun + .hours(1))
            // Six requests by themselves would try some hundred times.
            #expect(server.received.count < 60)
            #expect(
                try await desk.count("refunds.callback_standings where failures >= 3 and paused_until is not null") == 1
            )
        }
    }

    @Test func `a new secret signs beside the old one for a day`() async throws {
        try await asking { _, _ in
            .answer(200)
        } _: { desk, server, first in
            try await desk.consent()
            let second = try await desk.askBack(at: server.url + "/evidence?key=1")
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            desk.clock.advance(by: .hours(25))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["transactionId"] = "2000000900000002" }))
            let counts = server.received.compactMap { $0.field("webhook-signature")?.split(separator: " ").count }
            #expect(counts == [2, 1] && first != second)
            #expect(try await desk.count("tenants.secrets where kind = 'callback' and octet_length(sealed) > 0") == 1)
            for line in desk.lines.all { #expect(!line.contains("whsec_")) }
        }
    }

    // MARK: consent that speaks against sending

    @Test(arguments: [
        #"{"consent":{"consented":null}}"#, #"{"consent":{"consented":0,"recordedAt":1700000000000}}"#,
        #"{"consent":{}}"#, #"{"consent":0}"#, #"{"consent":"no"}"#, #"{"consent":{"consented":"no"}}"#,
        #"{"consent":{"consented":false},"consent":{"consented":true,"recordedAt":1700000000000}}"#,
        #"{"consent":{"consented":true,"consented":false}}"#,
    ])
    func `consent that cannot be read is no ground to send on older consent, and the ledger stays`(body: String)
        async throws
    {
        try await asking { _, _ in
            .answer(200, body: body)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.cases().map(\.reason) == ["no-consent"] && desk.apple.calls.isEmpty)
            #expect(try await desk.count("refunds.consent_changes") == 1)
            #expect(
                try await desk.count("refunds.rounds where decision like '%what the app''s server answered of it%'")
                    == 1)
            #expect(try await note(desk).contains("nothing is sent about this request"))

            // Said again so that it can be read, it counts.
            desk.clock.advance(by: .seconds(1))
            try await desk.consent(at: desk.now - .hours(2))
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test(arguments: [
        #"{"consent":false}"#, #"{"consent":{"consented":"false"}}"#, #"{"consent":{"consented":false}}"#,
        #"{"consent":{"consented":false,"recordedAt":1300000000000}}"#,
        #"{"consent":{"consented":false,"wordingVersion":7}}"#,
    ])
    func `BL-010: a no to the question stops its reply, whatever its time and shape`(body: String) async throws {
        try await asking { _, _ in
            .answer(200, body: body)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.cases().map(\.reason) == ["no-consent"] && desk.apple.calls.isEmpty)
            #expect(try await desk.count("refunds.consent_changes where source = 'callback' and not consented") == 1)
            #expect(try await desk.count("refunds.rounds where decision like '%The customer withdrew.%'") == 1)
        }
    }

    @Test(arguments: ["{}", "", #"{"consent":null}"#, #"{"deliveryStatus":"DELIVERED"}"#, "<html>"])
    func `an answer that says nothing of consent leaves the ledger's word`(body: String) async throws {
        try await asking { _, _ in
            .answer(200, body: body)
        } _: { desk, _, _ in
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
        }
    }

    // MARK: secrets

    @Test func `secrets that are replaced within a day all sign until it is over`() async throws {
        try await asking { _, _ in
            .answer(200, body: "{}")
        } _: { desk, server, first in
            func renew() async throws -> String {
                let (tenant, id, vault, now) = (desk.alpha.app.tenant, desk.alpha.app.id, desk.vault, desk.now)
                return try await desk.database.transaction(tenant.scope) { tx in
                    let app = try #require(try await TenantStore.app(of: tenant, id: id, in: tx))
                    return try await TenantStore.makeCallbackSecret(
                        of: app, with: vault, by: .commandLine, at: now, in: tx)
                }.reveal()
            }
            func signers(_ secrets: [String]) throws -> [Bool] {
                let asked = try #require(server.received.last)
                let (id, time) = (asked.field("webhook-id") ?? "", asked.field("webhook-timestamp") ?? "")
                let signatures = asked.field("webhook-signature")?.split(separator: " ") ?? []
                return try secrets.map {
                    let key = try #require(WebhookSecret($0))
                    return signatures.contains(
                        "v1,\(Base64.encode(key.sign(Array("\(id).\(time).".utf8) + asked.body)))")
                }
            }
            var secrets = [first]
            for _ in 0..<5 { secrets.append(try await renew()) }
            desk.directory.drop()
            desk.clock.advance(by: .seconds(1))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            // At most four: the newest three, and the one that the server had.
            #expect(try signers(secrets) == [true, false, false, true, true, true])
            desk.clock.advance(by: .hours(25))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try signers(secrets) == [false, false, false, false, false, true])
            secrets.append(try await renew())
            desk.directory.drop()
            desk.clock.advance(by: .seconds(1))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try signers(secrets) == [false, false, false, false, false, true, true])
        }
    }
}

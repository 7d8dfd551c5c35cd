import Foundation
import Support
import Testing
import Time

/// The whole program against an Apple that follows orders: what it sends, and what it makes of the answers.
@Suite(.servedProduct, .timeLimit(.minutes(10)))
struct `Replies to an Apple that follows orders` {
    static let members: Set<String> = [
        "customerConsented", "sampleContentProvided", "deliveryStatus", "consumptionPercentage", "refundPreference",
    ]
    static let subscription: [String: String?] = [
        "originalTransactionId": "2000000900000010", "productId": "pro.monthly", "type": "Auto-Renewable Subscription",
    ]

    @Test func `BL-006: the notification is acknowledged before Apple has answered`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900000601"
        desk.orders.give(id, .after(.seconds(4), .answer(202)))
        let answer = try await desk.product.post(
            "CONSUMPTION_REQUEST", desk.product.transaction(id, of: desk.alpha), to: desk.alpha)
        #expect(answer.status == 200 && answer.took < .seconds(2))
        #expect(try await desk.product.seen(id)?.state != "answered")
        try await desk.product.until(id, is: "answered")
        #expect(desk.product.calls(id).count == 1)
    }

    @Test func `BL-007: the disputed transaction is answered, not the original one`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900000712"
        try await desk.product.request(
            desk.product.transaction(id, of: desk.alpha, Self.subscription), of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        #expect(desk.product.calls(id).map(\.target) == ["/p/inApps/v2/transactions/consumption/\(id)"])
        #expect(desk.product.calls("2000000900000010").isEmpty)
    }

    @Test func `BL-008: version 2 with text values and nothing else`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900000801"
        try await desk.product.usage(id, of: desk.alpha, percentage: 100_000)
        try await desk.product.request(desk.product.transaction(id, of: desk.alpha), of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        let call = try #require(desk.product.calls(id).first)
        #expect(call.method == "PUT" && call.target.hasSuffix("/inApps/v2/transactions/consumption/\(id)"))
        let body = try call.json()
        #expect(Self.members.isSuperset(of: body.keys))
        #expect(body["deliveryStatus"] as? String == "DELIVERED" && body["refundPreference"] as? String == "DECLINE")
        #expect(call.text.contains(#""customerConsented":true"#))
        #expect(call.field("Authorization")?.hasPrefix("Bearer ey") == true)
        #expect(call.field("Content-Type") == "application/json")
    }

    @Test(arguments: [
        ("2000000900000901", true, Int?.none, Int?.none), ("2000000900000902", true, 40_000, nil),
        ("2000000900000903", false, 0, 0), ("2000000900000904", false, nil, nil),
        ("2000000900000905", false, 40_000, 40_000),
    ])
    func `BL-009: absent, zero and a value stay apart`(
        id: String, isAutoRenewable: Bool, known: Int?, sent: Int?
    ) async throws {
        let desk = try DeskUnderFaults.open()
        if let known { try await desk.product.usage(id, of: desk.alpha, percentage: known) }
        try await desk.product.request(
            desk.product.transaction(id, of: desk.alpha, isAutoRenewable ? Self.subscription : [:]), of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        let body = try #require(desk.product.calls(id).first).json()
        #expect(body["consumptionPercentage"] as? Int == sent)
        #expect(body.keys.contains("consumptionPercentage") == (sent != nil))
    }

    @Test func `BL-010: without consent nothing is sent, with it the next request is answered`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900001001"
        let token = "0a0a0a0a-54b4-4a5f-8d2a-93a0f0b71010"
        let transaction = desk.product.transaction(id, of: desk.beta, ["appAccountToken": token])
        try await desk.product.request(transaction, of: desk.beta)
        let first = try await desk.product.until(id, is: "withheld")
        #expect(first.reason == "no-consent" && desk.product.calls(id).isEmpty)
        try await desk.product.consent(of: token, at: desk.beta)
        // Signed dates are whole milliseconds, and the consent must lie before the next one.
        try await Task.sleep(for: .milliseconds(5))
        try await desk.product.request(transaction, of: desk.beta)
        try await desk.product.until(id, is: "answered")
        #expect(desk.product.calls(id).count == 1)
        #expect(desk.product.calls(id).first?.text.contains(#""customerConsented":true"#) == true)
    }

    @Test func `BL-014: a code that no repeat can change ends the case at once`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900001401"
        desk.orders.give(id, .answer(400, body: #"{"errorCode":4000047,"errorMessage":"x"}"#))
        try await desk.product.request(desk.product.transaction(id, of: desk.alpha), of: desk.alpha)
        try await desk.product.until(id, is: "refused")
        #expect(desk.product.calls(id).count == 1)
        let attempt = try await desk.product.attempt(of: id)
        #expect(attempt.result == "refused" && attempt.status == 400)
        #expect(attempt.code == 4_000_047 && attempt.message == "x")
    }

    @Test func `BL-015: passing failures are repeated with growing waits and the same bytes`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900001501"
        desk.orders.give(
            id, .answer(500, body: #"{"errorCode":5000001,"errorMessage":"x"}"#), .answer(504), .reset, .answer(202))
        try await desk.product.request(desk.product.transaction(id, of: desk.alpha), of: desk.alpha)
        try await desk.product.until(id, is: "answered", within: .seconds(90))
        let calls = desk.product.calls(id)
        #expect(calls.count == 4)
        #expect(Set(calls.map(\.text)).count == 1)
        let gaps = zip(calls, calls.dropFirst()).map { $1.at - $0.at }
        // Each wait is at least the most of the one before; a busy machine can only make it longer.
        #expect(zip(gaps, [950, 1950, 3950]).allSatisfy { $0 >= .milliseconds($1) }, "\(gaps)")
    }

    @Test func `BL-022: a purchase of an unknown buyer is answered as the app's consent allows`() async throws {
        let desk = try DeskUnderFaults.open()
        let (all, each) = ("2000000900002201", "2000000900002202")
        for (id, app) in [(all, desk.alpha), (each, desk.beta)] {
            try await desk.product.request(
                desk.product.transaction(id, of: app, ["appAccountToken": nil]), of: app)
        }
        let answered = try await desk.product.until(all, is: "answered")
        #expect(answered.customer == nil && desk.product.calls(all).count == 1)
        let withheld = try await desk.product.until(each, is: "withheld")
        #expect(withheld.reason == "no-consent" && desk.product.calls(each).isEmpty)
    }

    @Test(arguments: [
        ("2000000900002601", ScriptedServer.Step.answer(202)), ("2000000900002602", .answer(200)),
        ("2000000900002603", .answer(202, body: "thanks")),
        ("2000000900002604", .raw("HTTP/1.1 204 No Content\r\n\r\n")),
    ])
    func `BL-026: any 2xx is success, body or not`(id: String, step: ScriptedServer.Step) async throws {
        let desk = try DeskUnderFaults.open()
        desk.orders.give(id, step)
        try await desk.product.request(desk.product.transaction(id, of: desk.alpha), of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        #expect(desk.product.calls(id).count == 1)
    }

    @Test(arguments: [("2000000900003801", "Production", "Sandbox"), ("2000000900003802", "Sandbox", "Production")])
    func `BL-004, BL-038, BL-039: the environment chooses the host, and the prefix is kept`(
        id: String, environment: String, other: String
    ) async throws {
        let desk = try DeskUnderFaults.open()
        try await desk.product.request(
            desk.product.transaction(id, of: desk.alpha, environment: environment), of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        #expect(
            desk.product.calls(id, in: environment).map(\.target) == ["/p/inApps/v2/transactions/consumption/\(id)"])
        #expect(desk.product.calls(id, in: other).isEmpty)
    }

    @Test func `BL-083: an Advanced Commerce purchase is answered in version 1`() async throws {
        let desk = try DeskUnderFaults.open()
        let id = "2000000900008301"
        var transaction = desk.product.transaction(id, of: desk.alpha)
        transaction["advancedCommerceInfo"] = ["requestReferenceId": "7c0f5e3a-0000-4000-8000-000000000001"]
        try await desk.product.request(transaction, of: desk.alpha)
        try await desk.product.until(id, is: "answered")
        let call = try #require(desk.product.calls(id).first)
        #expect(call.target == "/p/inApps/v1/transactions/consumption/\(id)")
        let body = try call.json()
        #expect(body["appAccountToken"] as? String == "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111")
        for name in [
            "deliveryStatus", "consumptionStatus", "platform", "accountTenure", "playTime", "lifetimeDollarsPurchased",
            "lifetimeDollarsRefunded", "userStatus",
        ] { #expect(body[name] as? Int == 0, "\(name)") }
    }

    @Test func `BL-003, BL-016: a refused key waits in its environment alone, and a repaired one goes on`() async throws
    {
        let desk = try DeskUnderFaults.open()
        let (production, sandbox) = ("2000000900001601", "2000000900001602")
        desk.orders.give(production, .answer(401))
        try await desk.product.request(desk.product.transaction(production, of: desk.gamma), of: desk.gamma)
        #expect(try await desk.product.attempt(of: production).result == "credentials")
        try await desk.product.request(
            desk.product.transaction(sandbox, of: desk.gamma, environment: "Sandbox"), of: desk.gamma)
        try await desk.product.until(sandbox, is: "answered")
        #expect(try await desk.product.seen(production)?.state == "open")
        #expect((1...5).contains(desk.product.calls(production).count))
        desk.orders.give(production, .answer(202))
        try await desk.product.addKey(to: "gamma", keyID: "2X9R4HXF34")
        try await desk.product.until(production, is: "answered", within: .seconds(90))
    }

    @Test func `BL-111: an Apple that is wrong in every way gets each reply in the end, in the same bytes`()
        async throws
    {
        let desk = try DeskUnderFaults.open()
        let faults: [ScriptedServer.Step] = [
            .reset, .close, .raw("HTTP/1.1 202 Accepted\r\nContent-Length: 10\r\n\r\nabc"), .raw("no HTTP\r\n"),
            .answer(503), .answerThenClose(500), .answer(302, fields: [("Location", "http://127.0.0.1:1/")]),
        ]
        let ids = (0..<21).map { "20000009111\(10_000 + $0)" }
        for (number, id) in ids.enumerated() { desk.orders.give(id, faults[number % faults.count], .answer(202)) }
        for id in ids { try await desk.product.request(desk.product.transaction(id, of: desk.alpha), of: desk.alpha) }
        for id in ids {
            try await desk.product.until(id, is: "answered", within: .seconds(90))
            let calls = desk.product.calls(id)
            #expect(calls.count == 2, "\(id)")
            #expect(Set(calls.map(\.text)).count == 1)
        }
    }
}

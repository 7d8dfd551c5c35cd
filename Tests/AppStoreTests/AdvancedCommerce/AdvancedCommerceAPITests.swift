import Foundation
import HTTP
import Journal
import Support
import Testing
import Time

@testable import AppStore

@Suite(.timeLimit(.minutes(10)))
struct `Advanced Commerce API` {
    static let now = Moment(milliseconds: 1_790_000_000_000)
    static let body = Array(#"{"requestInfo":{"requestReferenceId":"0b1d4c6e-3e54-4c71-9b1f-6f0b5c0b7a11"}}"#.utf8)

    /// Apple as two scripted servers.
    struct Apple {
        let production: ScriptedServer
        let sandbox: ScriptedServer
        let api: AdvancedCommerceAPI

        init(
            production: [ScriptedServer.Step] = [.answer(200, body: "{}")],
            sandbox: [ScriptedServer.Step] = [.answer(200, body: "{}")], prefix: String = ""
        ) throws {
            self.production = try ScriptedServer(steps: production)
            self.sandbox = try ScriptedServer(steps: sandbox)
            api = AdvancedCommerceAPI(
                hosts: AppStoreHosts(production: self.production.url + prefix, sandbox: self.sandbox.url + prefix),
                http: HTTPClient(name: "commerce", options: .init(), journal: .silent, counters: Counters()),
                clock: WallClock { now }, counters: Counters())
        }

        func send(
            _ call: AdvancedCommerceAPI.Call = .refund, _ transactionID: String = "2000000900000012",
            _ environment: AppStore.Environment = .production, until deadline: Deadline = .never
        ) async -> AdvancedCommerceAPI.Outcome {
            await api.send(
                call, transactionID: transactionID, environment: environment, body: body, token: Redacted("a.b.c"),
                until: deadline)
        }
    }

    // MARK: what is sent

    @Test(arguments: [
        (AdvancedCommerceAPI.Call.refund, "transaction/requestRefund"), (.revoke, "subscription/revoke"),
        (.cancel, "subscription/cancel"),
    ])
    func `BL-079: a call is a POST of plain JSON with the ordinary token`(
        call: AdvancedCommerceAPI.Call, path: String
    ) async throws {
        let apple = try Apple()
        _ = await apple.send(call)
        let seen = try #require(apple.production.received.first)
        #expect(seen.method == "POST" && seen.target == "/advancedCommerce/v1/\(path)/2000000900000012")
        #expect(seen.body == Self.body)
        #expect(seen.field("Authorization") == "Bearer a.b.c")
        #expect(seen.field("Content-Type") == "application/json" && seen.field("Accept") == "application/json")
    }

    @Test func `the environment alone chooses the host, and a prefix is kept`() async throws {
        let apple = try Apple(prefix: "/p/")
        _ = await apple.send(.cancel, "1", .production)
        #expect(apple.production.received.map(\.target) == ["/p/advancedCommerce/v1/subscription/cancel/1"])
        #expect(apple.sandbox.received.isEmpty)
        _ = await apple.send(.cancel, "1", .sandbox)
        #expect(apple.production.received.count == 1)
        #expect(apple.sandbox.received.map(\.target) == ["/p/advancedCommerce/v1/subscription/cancel/1"])
    }

    @Test(arguments: [("a/b", "a%2Fb"), ("..", "%2E%2E"), ("a b?c#d", "a%20b%3Fc%23d"), ("\r\nX: y", "%0D%0AX%3A%20y")])
    func `no id leaves its place in the path`(id: String, segment: String) async throws {
        let apple = try Apple()
        _ = await apple.send(.revoke, id)
        #expect(apple.production.received.map(\.target) == ["/advancedCommerce/v1/subscription/revoke/\(segment)"])
    }

    @Test func `nothing is repeated by itself`() async throws {
        for step in [ScriptedServer.Step.reset, .close, .answer(500), .answer(429), .answer(401)] {
            let apple = try Apple(production: [step])
            _ = await apple.send()
            #expect(apple.production.received.count == 1, "\(step)")
        }
    }

    // MARK: what comes back

    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let label: String
        var code: Int64?

        init(_ status: Int, _ body: String, _ label: String, code: Int64? = nil) {
            (self.status, self.body, self.label, self.code) = (status, body, label, code)
        }

        /// The envelope as Apple sends it.
        init(_ code: Int64, _ label: String) {
            self.init(
                Int(code / 10_000), #"{"errorCode":\#(code),"errorMessage":"x"}"#, label, code: code)
        }

        var testDescription: String { "\(status) \(body)" }
    }

    @Test(arguments: [
        // In the table: it will never be accepted.
        Answer(4_000_097, "refused"), Answer(4_000_158, "refused"), Answer(4_000_181, "refused"),
        Answer(4_030_021, "refused"), Answer(4_030_025, "refused"), Answer(4_040_010, "refused"),
        // A 401 whose body has a code believed the token: app or account are refused.
        Answer(4_010_000, "doubted"), Answer(4_010_777, "doubted"),
        // A bare one did not believe it, whatever text it carries.
        Answer(401, "", "credentials"), Answer(401, "Unauthenticated\nRequest ID: A.0.0\n", "credentials"),
        Answer(401, #"{"errorMessage":"x"}"#, "credentials"), Answer(401, #"{"errorCode":"4010000"}"#, "credentials"),
        // In no table.
        Answer(4_031_234, "doubted"), Answer(4_000_999, "doubted"), Answer(403, "", "doubted"),
        Answer(403, "<html>no</html>", "doubted"), Answer(400, "[[[[", "doubted"), Answer(404, "", "doubted"),
        // From the way to Apple.
        Answer(407, "", "retry"), Answer(408, "", "retry"), Answer(421, "", "retry"), Answer(425, "", "retry"),
        Answer(302, "", "retry"),
        // Passing.
        Answer(5_000_000, "retry"), Answer(5_000_001, "retry"), Answer(500, "", "retry"),
        Answer(502, "<html>", "retry"),
        Answer(503, "", "retry"), Answer(504, "", "retry"), Answer(4_290_000, "rate-limited"),
        Answer(429, "", "rate-limited"),
    ])
    func `every answer says what to do next`(answer: Answer) async throws {
        let apple = try Apple(production: [.answer(answer.status, body: answer.body)])
        let outcome = await apple.send()
        #expect(outcome.result.label == answer.label)
        #expect(outcome.result.answer?.status == answer.status && outcome.result.answer?.code == answer.code)
        #expect(String(decoding: outcome.body, as: UTF8.self) == answer.body, "kept to the byte")
        #expect(outcome.result.text.contains("\(answer.status)"))
    }

    @Test func `BL-079: a 401 or 403 that may be the addendum says so`() async throws {
        for (status, body) in [
            (401, ""), (401, #"{"errorCode":4010000}"#), (403, ""), (403, #"{"errorCode":4031234}"#),
        ] {
            let apple = try Apple(production: [.answer(status, body: body)])
            #expect(await apple.send().result.text.contains("addendum"), "\(status) \(body)")
        }
    }

    @Test(arguments: [
        ("1790000060000", 60_000), ("1790000000001", 1), ("", 30_000), ("soon", 30_000), ("60", 30_000),
        ("1789999999999", 30_000), ("1790086400001", 30_000), ("9223372036854775808", 30_000),
    ])
    func `a 429 is obeyed to the absolute millisecond`(field: String, wait: Int64) async throws {
        let apple = try Apple(production: [
            .answer(429, fields: [("Retry-After", field)], body: #"{"errorCode":4290000}"#)
        ])
        guard case .rateLimited(_, let until) = await apple.send().result else {
            Issue.record("not rate-limited")
            return
        }
        #expect(until.milliseconds - Self.now.milliseconds == wait)
    }

    @Test(
        arguments: [
            (#"{"signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f"}"#, "a.b.c", "d.e.f"),
            (#"{"signedTransactionInfo":"a.b.c","unknown":[1]}"#, "a.b.c", nil), ("{}", nil, nil), ("", nil, nil),
            ("not JSON", nil, nil), (#"{"signedTransactionInfo":7,"signedRenewalInfo":null}"#, nil, nil),
            ("[]", nil, nil),
        ] as [(String, String?, String?)])
    func `any 2xx is taken, whatever its body`(body: String, transaction: String?, renewal: String?) async throws {
        for status in [200, 202] {
            let apple = try Apple(production: [.answer(status, body: body)])
            guard case .accepted(_, let signed, let renewed) = await apple.send().result else {
                Issue.record("not accepted: \(body)")
                return
            }
            #expect(signed == transaction && renewed == renewal)
        }
    }

    @Test func `an answer that never comes, breaks off or is too large may have been a yes`() async throws {
        let large = "{\"signedTransactionInfo\":\"\(String(repeating: "x", count: 300 * 1024))\"}"
        for (step, kind) in [
            (.silence, .timeout), (.reset, .reset), (.answer(200, body: large), .tooLarge),
            (.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .reset),
        ] as [(ScriptedServer.Step, HTTPClientError.Kind)] {
            let apple = try Apple(production: [step])
            let outcome = await apple.send(until: .after(.seconds(2)))
            guard case .unknown(let error) = outcome.result else {
                Issue.record("\(kind): \(outcome.result.label)")
                continue
            }
            #expect(error.kind == kind && outcome.body.isEmpty)
            #expect(outcome.result.text.contains("Apple may have received it"))
        }
    }

    @Test func `what certainly was not sent is told apart`() async throws {
        let apple = try Apple()
        let api = AdvancedCommerceAPI(
            hosts: AppStoreHosts(production: "http://127.0.0.1:1", sandbox: "http://127.0.0.1:1"),
            http: HTTPClient(name: "commerce", options: .init(), journal: .silent, counters: Counters()),
            clock: WallClock { Self.now }, counters: Counters())
        let outcome = await api.send(
            .refund, transactionID: "1", environment: .production, body: Self.body, token: Redacted("t"))
        #expect(outcome.result.label == "not-sent")
        #expect(apple.production.received.isEmpty)
    }

    @Test func `of a long answer the first 4 KiB are kept`() async throws {
        let apple = try Apple(production: [.answer(403, body: String(repeating: "ä", count: 10_000))])
        #expect(await apple.send().body.count == AdvancedCommerceAPI.keptBytesMax)
    }

    // MARK: the door

    @Test func `only what Apple can say after it looked the transaction up shows an open door`() async throws {
        for code in AdvancedCommerceError.allCases {
            let apple = try Apple(production: [
                .answer(Int(code.rawValue / 10_000), body: #"{"errorCode":\#(code.rawValue)}"#)
            ])
            let result = await apple.send(.cancel, "1").result
            #expect(result.showsOpenDoor == code.showsTransactionWasLookedUp, "\(code)")
        }
        #expect(AdvancedCommerceError.transactionIdNotFound.showsTransactionWasLookedUp)
        for code in [
            .malformedPayload, .invalidTransactionId, .operationNotAllowed, .unauthorized, .nullRequestInfo,
            .rateLimitExceeded, .generalInternal, .repeatedRequestReferenceId,
        ] as [AdvancedCommerceError] { #expect(!code.showsTransactionWasLookedUp, "\(code)") }
        for status in [401, 403, 404, 500] {
            let apple = try Apple(production: [.answer(status)])
            #expect(await apple.send(.cancel, "1").result.showsOpenDoor == false, "\(status)")
        }
    }
}

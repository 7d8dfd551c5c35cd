import AppStore
import Crypto
import Foundation
import HTTP
import Journal
import Support
import Testing
import Time

@Suite(.timeLimit(.minutes(10)))
struct `App Store Server API` {
    static let now = Moment(milliseconds: 1_780_000_000_000)
    static let body = Array(
        #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#.utf8)

    /// Apple as two scripted servers.
    struct Apple {
        let production: ScriptedServer
        let sandbox: ScriptedServer
        let clock: ManualClock
        let api: AppStoreServerAPI

        init(
            production: [ScriptedServer.Step] = [.answer(202)], sandbox: [ScriptedServer.Step] = [.answer(202)],
            prefix: String = "", now: Moment = now
        ) throws {
            self.production = try ScriptedServer(steps: production)
            self.sandbox = try ScriptedServer(steps: sandbox)
            clock = ManualClock(now)
            api = AppStoreServerAPI(
                hosts: AppStoreHosts(
                    production: self.production.url + prefix, sandbox: self.sandbox.url + prefix),
                http: HTTPClient(name: "apple", options: .init(), journal: .silent, counters: Counters()),
                clock: clock.clock, journal: .silent, counters: Counters())
        }

        func send(
            _ version: AppStoreServerAPI.ConsumptionVersion = .v2, _ transactionID: String = "2000000900000001",
            _ environment: AppStore.Environment = .production
        ) async -> CallResult {
            await api.sendConsumption(
                api: version, transactionID: transactionID, environment: environment, body: body,
                token: Redacted("a.b.c"))
        }
    }

    @Test func `BL-039: Apple's own hosts are the default`() {
        #expect(AppStoreHosts.apple.base(for: .production) == "https://api.storekit.apple.com")
        #expect(AppStoreHosts.apple.base(for: .sandbox) == "https://api.storekit-sandbox.apple.com")
    }

    @Test(arguments: ["/p", "/p/"])
    func `BL-039: a path prefix is carried by every call`(prefix: String) async throws {
        let apple = try Apple(prefix: prefix)
        _ = await apple.send()
        _ = await apple.send(.v1)
        _ = await apple.api.transactionInfo(transactionID: "1", environment: .production, token: Redacted("t"))
        #expect(
            apple.production.received.map(\.target) == [
                "/p/inApps/v2/transactions/consumption/2000000900000001",
                "/p/inApps/v1/transactions/consumption/2000000900000001", "/p/inApps/v1/transactions/1",
            ])
    }

    @Test func `BL-008: a reply is a PUT on its version's path, with the bytes as they are`() async throws {
        let apple = try Apple()
        _ = await apple.send(.v2, "2000000900000012")
        let seen = try #require(apple.production.received.first)
        #expect(seen.method == "PUT" && seen.body == Self.body)
        #expect(seen.field("Authorization") == "Bearer a.b.c")
        #expect(seen.field("Content-Type") == "application/json" && seen.field("Accept") == "application/json")
        #expect(seen.field("User-Agent")?.isEmpty == false)
    }

    @Test func `BL-007: the path ends in the transaction it was given`() async throws {
        let apple = try Apple()
        _ = await apple.send(.v2, "2000000900000012")
        #expect(apple.production.received.first?.target.hasSuffix("/consumption/2000000900000012") == true)
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("1.5", "1.5"), ("a b?c#d", "a%20b%3Fc%23d"), ("ü", "%C3%BC"),
        ("%2F", "%252F"), ("a-_~", "a-_~"), ("\r\nX: y", "%0D%0AX%3A%20y"),
    ])
    func `no id leaves its place in the path`(id: String, segment: String) async throws {
        let apple = try Apple()
        _ = await apple.send(.v2, id)
        #expect(apple.production.received.map(\.target) == ["/inApps/v2/transactions/consumption/\(segment)"])
    }

    @Test func `BL-038: the environment alone chooses the host`() async throws {
        let apple = try Apple()
        _ = await apple.send(.v2, "1", .production)
        #expect(apple.production.received.count == 1 && apple.sandbox.received.count == 0)
        _ = await apple.send(.v2, "1", .sandbox)
        #expect(apple.production.received.count == 1 && apple.sandbox.received.count == 1)
        #expect(
            AppStore.Environment(rawValue: "production") == nil && AppStore.Environment(rawValue: "PRODUCTION") == nil)
    }

    @Test(arguments: [
        ScriptedServer.Step.answer(202), .answer(200), .answer(202, body: "not JSON"), .answer(200, body: "{}"),
        .raw("HTTP/1.1 204 No Content\r\n\r\n"),
    ])
    func `BL-026: any 2xx is success, body or not`(step: ScriptedServer.Step) async throws {
        let apple = try Apple(production: [step])
        guard case .accepted(let answer) = await apple.send() else {
            Issue.record("not accepted")
            return
        }
        #expect(answer.code == nil && answer.message == nil)
        #expect(apple.production.received.count == 1)
    }

    enum Next: String, Sendable { case refused, retry, credentials, rateLimited = "rate-limited", unknown }

    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let next: Next
        var code: Int64?
        init(_ status: Int, _ body: String, _ next: Next, code: Int64? = nil) {
            (self.status, self.body, self.next, self.code) = (status, body, next, code)
        }
        /// The envelope as Apple sends it.
        init(_ status: Int, code: Int64, _ next: Next) {
            self.init(status, #"{"errorCode":\#(code),"errorMessage":"x"}"#, next, code: code)
        }
        var testDescription: String { "\(status) \(body)" }
    }

    @Test(arguments: [
        // BL-014: permanent
        Answer(400, code: 4_000_047, .refused), Answer(400, code: 4_000_006, .refused),
        Answer(400, code: 4_000_185, .refused), Answer(400, code: 4_000_209, .refused),
        Answer(404, code: 4_040_010, .refused), Answer(404, code: 4_040_001, .refused),
        Answer(404, code: 4_040_003, .refused),
        // unknown codes are judged by their status
        Answer(400, code: 4_000_999, .refused), Answer(403, code: 4_030_999, .refused),
        Answer(404, code: 4_040_999, .refused), Answer(500, code: 5_000_999, .retry),
        Answer(400, code: 9_223_372_036_854_775_807, .refused), Answer(400, code: -1, .refused),
        // a 400 without a code is a malformed body
        Answer(400, "", .refused), Answer(400, "Bad Request", .refused), Answer(413, "", .refused),
        // strange envelopes
        Answer(400, #"{"errorCode":"4000047"}"#, .refused), Answer(400, #"{"errorCode":4000047.5}"#, .refused),
        Answer(400, #"{"errorCode":4000047,"errorMessage":7}"#, .refused, code: 4_000_047),
        Answer(400, #"{"errorCode":99999999999999999999}"#, .refused), Answer(400, "[[[[[[", .refused),
        // BL-015: passing
        Answer(500, code: 5_000_001, .retry), Answer(500, code: 5_000_000, .retry), Answer(500, "", .retry),
        Answer(504, "", .retry), Answer(502, "<html>", .retry), Answer(503, "", .retry),
        Answer(404, code: 4_040_002, .retry), Answer(404, code: 4_040_004, .retry),
        Answer(404, code: 4_040_006, .retry),
        // not from Apple's application
        Answer(404, "", .retry), Answer(403, "<html>", .retry), Answer(408, "", .retry), Answer(302, "", .retry),
        // BL-016: no JSON is needed to know a refused token
        Answer(401, "", .credentials), Answer(401, "Unauthenticated\nRequest ID: ABC.1\n", .credentials),
        Answer(401, #"{"errorCode":4010000,"errorMessage":"Unauthorized"}"#, .credentials, code: 4_010_000),
        Answer(429, code: 4_290_000, .rateLimited), Answer(429, "", .rateLimited),
    ])
    func `BL-014, BL-015, BL-016: every answer says what to do next`(answer: Answer) async throws {
        let apple = try Apple(production: [.answer(answer.status, body: answer.body)])
        let result = await apple.send()
        #expect(result.label == answer.next.rawValue)
        let given = try #require(result.answer)
        #expect(given.status == answer.status && given.code == answer.code)
        #expect(given.receivedAt == Self.now)
        #expect(result.text.contains("\(answer.status)"))
        if let code = answer.code { #expect(result.text.contains("\(code)")) }
        #expect(apple.production.received.count == 1)
    }

    @Test func `BL-014: the reason is kept in Apple's words and by Apple's name`() async throws {
        let apple = try Apple(production: [.answer(400, body: #"{"errorCode":4000047,"errorMessage":"x"}"#)])
        let result = await apple.send()
        #expect(result.text == #"400, code 4000047 InvalidTransactionTypeNotSupportedError: "x""#)
    }

    @Test func `BL-015: passing failures one after the other, the same bytes each time`() async throws {
        let apple = try Apple(production: [
            .answer(500, body: #"{"errorCode":5000001,"errorMessage":"x"}"#), .answer(504), .reset, .answer(202),
        ])
        var labels: [String] = []
        for _ in 0..<4 { labels.append(await apple.send().label) }
        #expect(labels == ["retry", "retry", "unknown", "accepted"])
        #expect(apple.production.received.map(\.body) == Array(repeating: Self.body, count: 4))
    }

    @Test func `BL-016: a 401 of one environment says nothing about the other`() async throws {
        let apple = try Apple(production: [.answer(401)], sandbox: [.answer(202)])
        #expect(await apple.send(.v2, "1", .production).label == "credentials")
        #expect(await apple.send(.v2, "1", .sandbox).label == "accepted")
    }

    @Test(arguments: [
        ("1780000060000", 60_000), ("1780000000001", 1), ("1780086400000", 86_400_000),
        // bad, past, in seconds, or too far away to be meant: half a minute
        ("", 30_000), ("soon", 30_000), ("1779999999999", 30_000), ("120", 30_000), ("1780000060", 30_000),
        ("1780086400001", 30_000), ("9223372036854775807", 30_000), ("92233720368547758070", 30_000),
        ("-1", 30_000), ("1780000060000.5", 30_000), ("Wed, 21 Oct 2026 07:28:00 GMT", 30_000),
    ])
    func `a 429 is obeyed to the millisecond`(field: String, wait: Int64) async throws {
        let apple = try Apple(production: [.answer(429, fields: [("Retry-After", field)])])
        guard case .rateLimited(_, let until) = await apple.send() else {
            Issue.record("not rate-limited")
            return
        }
        #expect(until.milliseconds - Self.now.milliseconds == wait)
    }

    @Test func `BL-018: a 401 is told together with the measured offset of the clock`() async throws {
        let date = Date(timeIntervalSince1970: Double(Self.now.seconds))
        let apple = try Apple(
            production: [.answer(401, fields: [("Date", httpDate(date))])], now: Self.now + .minutes(10))
        let result = await apple.send()
        guard case .credentials(_, let offset) = result else {
            Issue.record("no fault of credentials")
            return
        }
        #expect(offset == .seconds(600))
        #expect(result.text.contains("600 s"))
        #expect(apple.api.clockOffset == .seconds(600))
    }

    @Test func `BL-018: a clock that is right is not mentioned`() async throws {
        let date = Date(timeIntervalSince1970: Double(Self.now.seconds))
        let apple = try Apple(
            production: [.answer(401, fields: [("Date", httpDate(date))])], now: Self.now + .seconds(2))
        #expect(await apple.send().text == "401")
    }

    @Test func `BL-018: a token of a clock 45 s fast is not from the future`() throws {
        let key = try P256Key.generate()
        let fast = Self.now + .seconds(45)
        let token = try BearerToken.make(
            with: key, keyID: "2X9R4HXF34", issuerID: "57246542-96fe-1a63-e053-0824d011072a",
            bundleID: "com.example.alpha", at: fast
        ).reveal()
        let claims = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any])
        let issued = try #require(object["iat"] as? Int64)
        let expires = try #require(object["exp"] as? Int64)
        #expect(issued <= Self.now.seconds && issued >= Self.now.seconds - 60)
        #expect(expires > fast.seconds + 240 && expires - issued <= 3600)
    }

    @Test(arguments: [
        ("x-apple-request-uuid", "11-22"), ("x-apple-jingle-correlation-key", "ABC"), ("X-Request-Id", "r1"),
    ])
    func `Apple's number of the call is kept`(name: String, value: String) async throws {
        let apple = try Apple(production: [.answer(202, fields: [(name, value)])])
        #expect(await apple.send().answer?.requestID == value)
    }

    @Test func `Apple's number of the call is found in the text of a 401`() async throws {
        let apple = try Apple(production: [.answer(401, body: "Unauthenticated\n\nRequest ID: QWERTY.0.0\n")])
        let answer = try #require(await apple.send().answer)
        #expect(answer.requestID == "QWERTY.0.0")
        #expect(answer.message == "Unauthenticated Request ID: QWERTY.0.0")
    }

    @Test func `a message is bounded and holds no control characters`() async throws {
        let long =
            #"{"errorCode":4000006,"errorMessage":"a\u0000b\u001b[31m\n"# + String(repeating: "x", count: 5000) + "\"}"
        let apple = try Apple(production: [.answer(400, body: long)])
        let answer = try #require(await apple.send().answer)
        let message = try #require(answer.message)
        #expect(answer.code == 4_000_006 && message.hasPrefix("a b [31m x") && message.count == 500)
        #expect(!message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func `a connection that is refused is not sent, one that ends is unknown`() async throws {
        let api = AppStoreServerAPI(
            hosts: AppStoreHosts(production: "http://127.0.0.1:1", sandbox: "http://nowhere.invalid"),
            http: HTTPClient(name: "apple", options: .init(), journal: .silent, counters: Counters()),
            clock: ManualClock(Self.now).clock, journal: .silent, counters: Counters())
        let result = await api.sendConsumption(
            api: .v2, transactionID: "1", environment: .production, body: Self.body, token: Redacted("secret-token"))
        #expect(result.label == "not-sent" && result.text.hasSuffix("nothing was sent"))
        let apple = try Apple(production: [.close])
        let lost = await apple.send()
        #expect(lost.label == "unknown" && lost.text.hasSuffix("Apple may have received it"))
        for text in [result.text, lost.text] { #expect(!text.contains("secret-token") && !text.contains("a.b.c")) }
    }

    @Test func `BL-135: a certificate fault is named as such, and nothing was sent`() async throws {
        try await TLSServer.serve(.expired) { server in
            let api = AppStoreServerAPI(
                hosts: AppStoreHosts(production: server.url, sandbox: server.url),
                http: HTTPClient(
                    name: "apple", options: .init(caFile: server.authorityFile), journal: .silent, counters: Counters()),
                clock: ManualClock(Self.now).clock, journal: .silent, counters: Counters())
            let result = await api.sendConsumption(
                api: .v2, transactionID: "1", environment: .production, body: Self.body, token: Redacted("secret-token")
            )
            guard case .notSent(let error) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.kind == .tls(.expired) && result.text.contains("TLS verification failed"))
            try await server.connectionEnded()
            #expect(!server.transcript.contains("secret-token"))
        }
    }

    @Test func `a transaction is looked up`() async throws {
        let apple = try Apple(sandbox: [.answer(200, body: #"{"signedTransactionInfo":"a.b.c"}"#)])
        let result = await apple.api.transactionInfo(transactionID: "7", environment: .sandbox, token: Redacted("t"))
        guard case .found("a.b.c") = result else {
            Issue.record("\(result)")
            return
        }
        let seen = try #require(apple.sandbox.received.first)
        #expect(seen.method == "GET" && seen.target == "/inApps/v1/transactions/7" && seen.body.isEmpty)
    }

    @Test(arguments: ["", "{}", "[]", #"{"signedTransactionInfo":7}"#, #"{"signedTransactionInfo":null}"#])
    func `a look-up that brings no transaction is tried again`(body: String) async throws {
        let apple = try Apple(production: [.answer(200, body: body)])
        let result = await apple.api.transactionInfo(transactionID: "7", environment: .production, token: Redacted("t"))
        guard case .failed(.retry(let answer, _)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(answer.text.contains("signedTransactionInfo"))
    }

    private func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

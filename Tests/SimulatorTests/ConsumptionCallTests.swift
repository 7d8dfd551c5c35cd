import HTTP
import Testing
import Time

@testable import Simulator

@Suite struct `Send Consumption Information over HTTP` {
    @Test func `a good body is a 202 with an empty body, in the ledger to the byte`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        let body: JSON = [
            "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": true,
            "consumptionPercentage": 80_000, "refundPreference": "GRANT_PRORATED",
        ]
        let reply = try await apple.consume(transaction, body)
        #expect(reply.status == 202 && reply.text.isEmpty && reply.headers["Content-Length"] == "0")
        #expect(reply.headers["Content-Type"] == nil)
        let call = try #require(apple.apple.ledger.calls.first)
        #expect(call.body == body.text && call.method == "PUT" && call.environment == .production)
        #expect(call.consumptionTransactionID == transaction.id && call.status == 202 && call.ending == .answered)
        await apple.apple.stop()
    }

    @Test func `a refused body carries Apple's code, a malformed one none`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID, productType: "Auto-Renewable Subscription")
        var body = try #require(Apple.goodBody.object)
        body["consumptionPercentage"] = 0
        let reply = try await apple.consume(transaction, .object(body))
        #expect(reply.status == 400 && reply.code == 4_000_209)
        #expect(
            reply.json?["errorMessage"]?.string
                == "Invalid request. The consumption percentage field is not supported for auto-renewable subscription transactions."
        )
        let malformed = try await apple.consume(transaction, [])
        #expect(malformed.status == 400 && malformed.text.isEmpty)
        #expect(apple.apple.ledger.calls.last?.remarks.first?.hasPrefix("malformed") == true)
        await apple.apple.stop()
    }

    @Test func `R10 and the ids that are wrong: each has its code`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        let path = "/inApps/v2/transactions/consumption/"
        let appTransactionID = try #require(transaction.payload["appTransactionId"]?.string)
        for (id, code): (String, Int64) in [
            (appTransactionID, 4_000_048), ("abc", 4_000_006), ("-1", 4_000_006), ("123456789012345678901", 4_000_006),
            ("410000000000009", 4_040_010),
        ] {
            #expect(try await apple.call(.put, path + id, body: Apple.goodBody).code == code, "\(id)")
        }
        let elsewhere = try await apple.call(.put, path + transaction.id, .sandbox, body: Apple.goodBody)
        #expect(elsewhere.status == 404 && elsewhere.code == 4_040_010, "the other environment")
        await apple.apple.stop()
    }

    @Test func `another app's transaction is not found`() async throws {
        let apple = try await Apple()
        apple.apple.register(
            RegisteredApp(bundleID: "org.example.other", appAppleID: 3, issuerID: Apple.issuerID))
        let transaction = try apple.apple.purchase("org.example.other")
        #expect(try await apple.consume(transaction).code == 4_040_010)
        await apple.apple.stop()
    }

    @Test func `Advanced Commerce purchases are refused by v2 with a number that changes, and taken by v1`()
        async throws
    {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(
            Apple.bundleID, changes: ["advancedCommerceInfo": ["items": [["SKU": "course.swift.101"]]]])
        #expect(
            try await apple.consume(transaction).code == apple.apple.numbers.advancedCommerceTransactionNotSupported)
        let body: JSON = [
            "customerConsented": true, "consumptionStatus": 1, "platform": 0, "sampleContentProvided": false,
            "deliveryStatus": 0, "appAccountToken": "", "accountTenure": 0, "playTime": 0,
            "lifetimeDollarsPurchased": 0,
            "lifetimeDollarsRefunded": 0, "userStatus": 0,
        ]
        #expect(try await apple.consume(transaction, body, version: 1).status == 202)
        #expect(try await apple.consume(transaction, Apple.goodBody, version: 1).code == 4_000_033)
        await apple.apple.stop()
    }

    @Test func `paths are case-sensitive, and a slip is in the ledger`() async throws {
        let apple = try await Apple()
        let reply = try await apple.call(.put, "/inapps/v2/transactions/consumption/1", body: Apple.goodBody)
        #expect(reply.status == 404)
        #expect(apple.apple.ledger.calls.first?.path == "/inapps/v2/transactions/consumption/1")
        #expect(apple.apple.ledger.calls.first?.remarks == ["no such endpoint"])
        await apple.apple.stop()
    }

    @Test func `the sandbox has a tenth of the limit, and 429 names an absolute moment in milliseconds`() async throws {
        // A clock that stands: the window cannot end while the test counts.
        let clock = ManualClock(WallClock.system.now)
        let apple = try await Apple { $0.clock = clock.clock }
        apple.apple.limits.window = .seconds(1)
        let production = try apple.apple.purchase(Apple.bundleID)
        let sandbox = try apple.apple.purchase(Apple.bundleID, in: .sandbox)
        for _ in 0..<5 { #expect(try await apple.consume(sandbox).status == 202) }
        let reply = try await apple.consume(sandbox)
        #expect(reply.status == 429 && reply.code == 4_290_000)
        #expect(reply.headers["Retry-After"] == "\(clock.now.milliseconds + 1000)")
        #expect(try await apple.consume(production).status == 202, "the other environment counts for itself")
        clock.advance(by: .seconds(1))
        #expect(try await apple.consume(sandbox).status == 202)
        await apple.apple.stop()
    }

    @Test func `limits are counted by app, environment and endpoint over the window`() {
        let limits = RateLimits()
        let start = Moment(milliseconds: 1_790_000_000_000)
        func refusal(_ environment: StoreEnvironment, _ app: String = "a", endpoint: String = "e", at: Moment)
            -> Moment?
        {
            limits.refusal(endpoint, perSecond: 1, app: app, environment: environment, now: at)
        }
        for _ in 0..<3600 { #expect(refusal(.production, at: start) == nil) }
        #expect(refusal(.production, at: start + .seconds(3599)) == start + .hours(1))
        for _ in 0..<360 { #expect(refusal(.sandbox, at: start) == nil) }
        #expect(refusal(.sandbox, at: start) == start + .hours(1))
        #expect(refusal(.production, "b", at: start) == nil)
        #expect(refusal(.production, endpoint: "f", at: start) == nil)
        #expect(refusal(.production, at: start + .hours(1)) == nil)
    }
}

@Suite struct `Scripts and troubles` {
    @Test func `prepared answers come in order, for as many calls as they say, and only in their environment`()
        async throws
    {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        apple.apple.script.add(
            [
                .error(5_000_001, times: 2), ScriptedAnswer(status: 504),
                ScriptedAnswer(status: 418, headers: [("X-Made", "up")], body: Array("tea".utf8), method: "GET"),
            ], in: .production)
        #expect(try await apple.call(.get, "/inApps/v1/transactions/1", .sandbox).code == 4_040_010)
        var seen: [Int] = []
        for _ in 0..<4 { seen.append(try await apple.consume(transaction).status) }
        #expect(seen == [500, 500, 504, 202])
        let tea = try await apple.call(.get, "/inApps/v1/transactions/1")
        #expect(tea.status == 418 && tea.headers["X-Made"] == "up" && tea.text == "tea")
        #expect(apple.apple.script.waiting(in: .production).isEmpty)
        await apple.apple.stop()
    }

    @Test func `a scripted answer for ever lasts until it is cleared`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        apple.apple.script.add([.unauthenticated(times: nil)], in: .production)
        for _ in 0..<3 { #expect(try await apple.consume(transaction).status == 401) }
        apple.apple.script.clear(.production)
        #expect(try await apple.consume(transaction).status == 202)
        await apple.apple.stop()
    }

    @Test func `a lost answer: the call counts, the caller never hears of it`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        try apple.apple.write(
            NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID, transactionID: transaction.id))
        apple.apple.script.add([ScriptedAnswer(ending: .reset)], in: .production)
        await #expect(throws: HTTPClientError.self) { try await apple.consume(transaction) }
        let call = try #require(apple.apple.ledger.calls.last)
        #expect(call.ending == .reset && call.status == 202)
        #expect(apple.apple.shelves.transaction(transaction.id, in: .production)?.answer != nil)
        #expect(try await apple.consume(transaction).status == 202, "and once more, as after a crash")
        #expect(apple.apple.ledger.calls.last?.remarks == ["an earlier answer stands: not weighed"])
        await apple.apple.stop()
    }

    @Test func `a hanging call is in the ledger while its caller waits`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        apple.apple.script.add([ScriptedAnswer(status: 202, ending: .hang)], in: .production)
        let url = apple.apple.apiURL(.production) + "/inApps/v2/transactions/consumption/\(transaction.id)"
        await #expect(throws: HTTPClientError.self) {
            try await Apple.send(.put, url, authorization: nil, body: Apple.goodBody.bytes, timeout: .seconds(1))
        }
        let calls = await apple.apple.calls { $0.count == 1 }
        #expect(calls?.first?.ending == .hung)
        await apple.apple.stop()
    }

    @Test func `who waits for a call is woken by it, and by nothing after the time limit`() async throws {
        let apple = try await Apple()
        let transaction = try apple.apple.purchase(Apple.bundleID)
        async let woken = apple.apple.calls { $0.contains { $0.consumptionTransactionID == transaction.id } }
        _ = try await apple.consume(transaction)
        #expect(await woken?.count == 1)
        #expect(await apple.apple.calls(within: .milliseconds(1)) { $0.count == 7 } == nil)
        await apple.apple.stop()
    }

    @Test func `the same seed meets the same troubles, calm meets none`() async throws {
        var runs: [[Int]] = []
        for _ in 0..<2 {
            let apple = try await Apple(seed: 42) {
                $0.manners = .calm
                $0.manners.troubles = true
            }
            let transaction = try apple.apple.purchase(Apple.bundleID)
            var statuses: [Int] = []
            for _ in 0..<60 { statuses.append(try await apple.consume(transaction).status) }
            runs.append(statuses)
            await apple.apple.stop()
        }
        #expect(runs[0] == runs[1])
        #expect(
            Set(runs[0]).isSuperset(of: [202]) && Set(runs[0]).isSubset(of: [202, 429, 500]) && Set(runs[0]).count > 1)
        let calm = try await Apple(seed: 42)
        let transaction = try calm.apple.purchase(Apple.bundleID)
        for _ in 0..<60 { #expect(try await calm.consume(transaction).status == 202) }
        await calm.apple.stop()
    }

    @Test func `the ledger forgets its oldest calls beyond its bound, and finishes the right ones`() {
        let ledger = Ledger(callsMax: 20)
        for place in 1...50 {
            var call = ledger.begin { number in
                Call(
                    number: number, at: Moment(milliseconds: 0), environment: .sandbox,
                    isOlderHost: false, method: "GET",
                    path: "/\(place)",
                    query: "", headers: [], tokenHeader: nil, claims: nil, tokenFault: nil, body: "")
            }
            call.status = place
            call.ending = .answered
            ledger.finish(call)
        }
        let calls = ledger.calls
        #expect(ledger.received == 50 && (10...20).contains(calls.count))
        #expect(calls.allSatisfy { $0.status == $0.number && $0.path == "/\($0.number)" })
        #expect(calls.last?.number == 50)
    }
}

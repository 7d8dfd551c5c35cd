import HTTP
import Journal
import Loop
import Synchronization
import Testing
import Time

@testable import Simulator

@Suite struct `The control API` {
    @Test func `everything needed for a round trip can be done from outside`() async throws {
        let apple = try await Apple()
        let receiver = try await Receiver()
        let app = try await apple.control(
            .put, "/apps/org.example.radio",
            ["appAppleId": 77, "issuerId": .string(Apple.issuerID), "notificationURL": .string(receiver.url)])
        #expect(app.status == 201 && app.json?["notificationURLs"]?["Sandbox"]?.string == receiver.url)
        let sent = try await apple.control(
            .post, "/notifications",
            [
                "bundleId": "org.example.radio", "type": "CONSUMPTION_REQUEST", "environment": "Sandbox",
                "reason": "LEGAL",
                "productType": "Non-Consumable", "transaction": ["price": 480_000, "currency": "JPY"], "copies": 2,
            ])
        #expect(sent.status == 201)
        #expect(sent.json?["deliveries"]?.array?.map { $0["status"]?.int } == [200, 200])
        #expect(receiver.bodies.count == 2)
        let payload = try apple.verified(try #require(sent.json?["signedPayload"]?.string))
        #expect(payload["data"]?["consumptionRequestReason"] == "LEGAL")

        let id = try #require(sent.json?["transactionId"]?.string)
        let scripted = try await apple.control(
            .post, "/answers",
            ["environment": "Sandbox", "answers": [["errorCode": 5_000_001], ["status": 202, "times": 0]]])
        #expect(scripted.json?["Sandbox"]?.array?.count == 2 && scripted.json?["Production"]?.array?.isEmpty == true)
        let path = "/inApps/v2/transactions/consumption/\(id)"
        #expect(try await apple.call(.put, path, .sandbox, body: [:]).code == 5_000_001)
        #expect(try await apple.call(.put, path, .sandbox, body: [:]).status == 202)
        #expect(try await apple.control(.delete, "/answers").status == 204)
        #expect(
            try await apple.call(.put, path, .sandbox, body: [:]).code == 4_040_010,
            "no longer scripted; the token is another app's")

        let calls = try await apple.control(.get, "/calls?path=consumption&environment=Sandbox&after=1")
        let list = try #require(calls.json?["calls"]?.array)
        #expect(list.map { $0["answer"]?["status"]?.int } == [202, 404])
        #expect(list.first?["claims"]?["bid"]?.string == Apple.bundleID)
        #expect(list.allSatisfy { !$0.text.contains("Bearer") })
        await apple.apple.stop()
    }

    @Test func `manners, clock and limits are set by name, and a slip is named back`() async throws {
        let apple = try await Apple()
        let set = try await apple.control(
            .put, "/manners", ["calm": false, "troubles": false, "clockOffsetSeconds": -600])
        #expect(set.json?["manners"]?["copies"] == true && set.json?["manners"]?["troubles"] == false)
        #expect(apple.apple.manners.copies && !apple.apple.manners.troubles)
        #expect(apple.apple.clockOffset == .seconds(-600))
        for (path, body, word): (String, JSON, String) in [
            ("/manners", ["clam": true], "clam"), ("/manners", ["calm": "yes"], "calm"), ("/manners", [], "object"),
            ("/manners", ["rateWindowSeconds": 0], "rateWindowSeconds"),
        ] {
            let reply = try await apple.control(.put, path, body)
            #expect(reply.status == 400 && reply.text.contains(word))
        }
        #expect(try await apple.control(.put, "/apps/x", [:]).status == 400)
        #expect(try await apple.control(.post, "/notifications", ["bundleId": "org.example.nobody"]).status == 422)
        await apple.apple.stop()
    }

    @Test func `web pages cannot reach it`() async throws {
        let apple = try await Apple()
        let url = apple.apple.address + "/control/status"
        #expect(try await Apple.send(.get, url, authorization: nil, body: nil).status == 200)
        for headers: HeaderFields in [
            ["Origin": "https://example.org"], ["Host": "evil.example"], ["Host": "127.0.0.1.example.org"],
        ] {
            #expect(try await Apple.send(.get, url, authorization: nil, body: nil, headers: headers).status == 403)
        }
        await apple.apple.stop()
    }

    @Test(arguments: ["0.0.0.0:0", "10.0.0.1:80", "[::]:0", "unix:/tmp/x", "example.org:80", "127.0.0.1", ""])
    func `it listens on loopback and nowhere else`(address: String) {
        #expect(throws: SmallApple.StartFault.self) { try SmallApple.loopback(address) }
    }

    @Test(arguments: ["127.0.0.1:0", "127.1.2.3:8090", "[::1]:8090", "localhost:8090"])
    func `addresses on loopback are taken`(address: String) throws {
        #expect(try SmallApple.loopback(address).port != nil)
    }

    @Test func `the help names every path and every manner`() {
        for name in Manners.switches.map(\.name) { #expect(Help.usage.contains("  \(name) "), "\(name)") }
        for path in [
            "status", "manners", "keys", "apps", "transactions", "notifications", "sign", "answers", "calls", "traffic",
            "commerce", "commerce/apps", "commerce/purchases", "commerce/transactions", "commerce/requests",
            "commerce/refunds", "commerce/rates",
        ] {
            #expect(Help.control.contains("/control/\(path)"), "\(path)")
        }
    }
}

@Suite struct `Traffic` {
    @Test func `customers of all kinds complain, and every request is decided`() async throws {
        let receiver = try await Receiver()
        let apple = try await Apple(seed: 9) {
            $0.manners = .calm
            $0.pace.patience = 1
        }
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url, .sandbox: receiver.url]
        apple.apple.register(app)
        var plan = TrafficPlan()
        plan.perMinute = 60_000
        plan.count = 300
        apple.apple.startTraffic(plan)
        let deadline = ContinuousClock.now + .seconds(30)
        while apple.apple.traffic.report.isRunning || apple.apple.traffic.report.requests < 200,
            ContinuousClock.now < deadline
        {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(apple.apple.traffic.report.failures == 0 && apple.apple.traffic.report.happenings == 300)
        let sent = apple.apple.shelves.notifications
        let requests = sent.filter { $0.type == "CONSUMPTION_REQUEST" }
        #expect(requests.count >= 200)
        let types = Set(sent.map(\.type))
        #expect(types.isSuperset(of: ["CONSUMPTION_REQUEST", "REFUND", "REVOKE", "DID_CHANGE_RENEWAL_STATUS"]))
        let purchases =
            apple.apple.shelves.transactions(in: .production) + apple.apple.shelves.transactions(in: .sandbox)
        #expect(Set(purchases.compactMap { $0.payload["type"]?.string }).count == 4)
        let currencies = Set(purchases.compactMap { $0.payload["currency"]?.string })
        #expect(currencies.isSuperset(of: ["USD", "EUR", "JPY", "VND"]))
        #expect(Set(requests.map { $0.payload["data"]?["consumptionRequestReason"]?.string }).count >= 5)
        #expect(
            purchases.contains { $0.payload["appAccountToken"] == nil }
                && purchases.contains { $0.payload["appAccountToken"] != nil })
        #expect(purchases.contains { $0.payload["advancedCommerceInfo"] != nil })
        #expect(purchases.contains { $0.payload["inAppOwnershipType"] == "FAMILY_SHARED" })
        await apple.apple.stop()
    }

    @Test func `a seed repeats who bought what, who complained of what, and under which ids`() async throws {
        var runs: [Set<String>] = []
        for _ in 0..<2 {
            let apple = try await Apple(seed: 77)
            var app = try #require(apple.apple.shelves.app(Apple.bundleID))
            app.notificationURLs = [.production: "http://127.0.0.1:1/n", .sandbox: "http://127.0.0.1:1/n"]
            apple.apple.register(app)
            var plan = TrafficPlan()
            plan.perMinute = 60_000
            plan.count = 30
            plan.onlyRequests = true
            apple.apple.startTraffic(plan)
            while apple.apple.traffic.report.requests < 30 { try await Task.sleep(for: .milliseconds(5)) }
            let asked = apple.apple.shelves.notifications.map { notification in
                "\(notification.type) \(notification.uuid) \(notification.transactionID ?? "") "
                    + "\(notification.payload["data"]?["consumptionRequestReason"]?.string ?? "")"
            }
            runs.append(Set(asked))
            await apple.apple.stop()
        }
        #expect(runs[0] == runs[1] && runs[0].count >= 30)
    }

    @Test func `the app's backend tells consent and use by the service's own API`() async throws {
        let told = Told()
        let route = { (pattern: String) in
            Route(.put, pattern) { request, _ in
                told.add(
                    (
                        request.path, request.headers["Authorization"] ?? "",
                        (try? JSONReader.read(request.body)) ?? .null
                    ))
                return .status(.ok)
            }
        }
        let server = Server(
            listen: try #require(SocketAddress("127.0.0.1:0")),
            routes: Router([
                route("/api/v1/apps/{bundleId}/customers/{token}/consent"),
                route("/api/v1/apps/{bundleId}/transactions/{id}/consent"),
                route("/api/v1/apps/{bundleId}/transactions/{id}/usage"),
            ]), loops: Apple.loops, clock: .system, journal: .silent, counters: Counters())
        let backend = AppBackend(url: "http://\(try await server.start())", token: "rd_test")
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        for number in 0..<40 {
            var chance = Chance(seed: 1).stream("backend", "\(number)")
            await backend.report(bought, now: apple.apple.now, client: Apple.client, chance: &chance)
        }
        let consents = told.all.filter { $0.path.hasSuffix("/consent") }
        let usages = told.all.filter { $0.path.hasSuffix("/usage") }
        #expect(consents.count > 20 && usages.count > 20)
        #expect(told.all.allSatisfy { $0.authorization == "Bearer rd_test" })
        #expect(
            consents.allSatisfy {
                $0.body["consented"]?.bool != nil && ($0.body["recordedAt"]?.int ?? .max) < apple.apple.now.milliseconds
            })
        #expect(usages.allSatisfy { $0.body["observedAt"]?.int != nil })
        await apple.apple.stop()
        await server.stop(within: .seconds(1))
    }
}

/// What a backend told, from any thread.
private final class Told: Sendable {
    typealias Item = (path: String, authorization: String, body: JSON)
    private let items = Mutex<[Item]>([])

    func add(_ item: Item) { items.withLock { $0.append(item) } }
    var all: [Item] { items.withLock { $0 } }
}

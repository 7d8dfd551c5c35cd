import Foundation
import HTTP
import Simulator
import Support
import Testing
import Time

/// Refunds that are asked for over the API, while the process dies, while two of them serve, and when Apple asks back:
/// what the small Apple booked is the judge.
@Suite(.timeLimit(.minutes(10)))
struct `Commerce requests by the whole program` {
    private static let bundleID = "com.example.alpha"

    private static func body(_ transactionID: String, risking: Bool = false) -> JSON {
        [
            "kind": "refund", "environment": "Production", "transactionId": .string(transactionID),
            "refundRiskingPreference": .bool(risking),
            "items": [
                ["SKU": "audio", "refundReason": "UNSATISFIED_WITH_PURCHASE", "refundType": "FULL", "revoke": true]
            ],
        ]
    }

    /// One refund in the ledger, one reference in the calls, the same bytes in each of them.
    private static func expectOneRefund(_ stage: Stage, of transactionID: String) {
        #expect(stage.apple.commerce.refunds.count { $0.transactionID == transactionID } == 1, "\(transactionID)")
        #expect(
            Set(stage.apple.commerce.requests.filter { $0.transactionID == transactionID }.map(\.requestReferenceID))
                .count == 1)
        let calls = stage.commerceCalls(of: transactionID)
        #expect(Set(calls.map(\.body)).count == 1 && (1...2).contains(calls.count), "\(transactionID): \(calls.count)")
    }

    @Test func `BL-064: one reference and one refund, wherever the process dies`() async throws {
        try await Cluster.with { _, url in
            try await withStage(databaseURL: url) { stage in
                try await stage.command("migrate")
                let shop = try await stage.openCommerce(Self.bundleID)
                let token = shop.token
                var asked: [(id: String, transactionID: String)] = []
                // Before the commit of the first attempt, about it, while it is sent, and after it.
                for delay in [0, 4, 12, 30, 80] {
                    let desk = try await stage.serve(shop.settings)
                    let sold = try stage.sell(Self.bundleID)
                    let id = try await desk.ask(Self.body(sold), of: Self.bundleID, token: token, key: "kill-\(delay)")
                    try await Task.sleep(for: .milliseconds(delay))
                    desk.program.signal(SIGKILL)
                    #expect(await desk.program.exit() == -SIGKILL)
                    asked.append((id, sold))
                }
                // After Apple took it, before its answer arrived: certainly unknown.
                stage.apple.script.add(
                    [ScriptedAnswer(delay: .seconds(5), pathContains: "advancedCommerce")], in: .production)
                let last = try await stage.serve(shop.settings)
                let sold = try stage.sell(Self.bundleID)
                // The others' repeats may come first and take the slow answer; all of them are killed all the same.
                asked.append(
                    (try await last.ask(Self.body(sold), of: Self.bundleID, token: token, key: "kill-sent"), sold))
                try await stage.eventually("Apple took a call that is not answered yet", within: .seconds(60)) {
                    stage.apple.ledger.calls.contains { $0.path.contains("advancedCommerce") && $0.ending == nil }
                }
                last.program.signal(SIGKILL)
                #expect(await last.program.exit() == -SIGKILL)

                let again = try await stage.serve(shop.settings)
                try await stage.eventually("Apple took all of them", within: .seconds(120)) {
                    stage.apple.commerce.requests.count == asked.count
                }
                // Some of them are refunded before the repeat that asks what became of the call.
                for request in stage.apple.commerce.requests {
                    #expect(stage.apple.decide(request.requestReferenceID, as: .refund))
                }
                for (id, transactionID) in asked {
                    try await stage.eventually("the refund of \(transactionID)", within: .seconds(120)) {
                        try await again.commerceState(of: id, token: token) == "refunded"
                    }
                    Self.expectOneRefund(stage, of: transactionID)
                }
                // Asked once more under its key, it is still the one that was refunded.
                let known = try await again.ask(
                    Self.body(asked[0].transactionID), of: Self.bundleID, token: token, key: "kill-0")
                #expect(known == asked[0].id)
                try await stage.eventually("nothing is left to send", within: .seconds(90)) {
                    try await again.inFlight(token: token, of: Self.bundleID) == 0
                }
                for (_, transactionID) in asked { Self.expectOneRefund(stage, of: transactionID) }
                #expect(stage.apple.commerce.refunds.count == asked.count)
                #expect(await again.stop() == 0)
            }
        }
    }

    @Test func `two processes that are asked at once under one key make one request and send it once`() async throws {
        try await withStage { stage in
            let shop = try await stage.openCommerce(Self.bundleID)
            let token = shop.token
            let desks = [try await stage.serve(shop.settings), try await stage.serve()]
            let sold = try (0..<6).map { _ in try stage.sell(Self.bundleID) }
            for (place, transactionID) in sold.enumerated() {
                let ids = try await withThrowingTaskGroup(of: String.self) { group in
                    for desk in desks + desks {
                        group.addTask {
                            try await desk.ask(
                                Self.body(transactionID), of: Self.bundleID, token: token, key: "both-\(place)")
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(ids.count == 1)
            }
            try await stage.eventually("six requests", within: .seconds(60)) {
                stage.apple.commerce.requests.count == sold.count
            }
            for request in stage.apple.commerce.requests {
                #expect(stage.apple.decide(request.requestReferenceID, as: .refund))
            }
            for transactionID in sold {
                Self.expectOneRefund(stage, of: transactionID)
                #expect(stage.commerceCalls(of: transactionID).count == 1)
            }
            for desk in desks { #expect(await desk.stop() == 0) }
        }
    }

    @Test func `BL-078, BL-082, BL-083: Apple asks back about our own refund, and is not opposed`() async throws {
        try await withStage { stage in
            let shop = try await stage.openCommerce(Self.bundleID, outcome: .asAnswered)
            let token = shop.token
            let desk = try await stage.serve(shop.settings)
            let sold = try stage.sell(Self.bundleID)
            // All of it was used: alone, the rules would ask Apple to decline.
            let used = try await desk.api(
                .put, "/api/v1/apps/\(Self.bundleID)/transactions/\(sold)/usage",
                [
                    "observedAt": .int(stage.now.milliseconds), "consumptionPercentage": 100_000,
                    "deliveryStatus": "DELIVERED",
                ],
                token: token)
            #expect(used.status == 200)
            let id = try await desk.ask(Self.body(sold, risking: true), of: Self.bundleID, token: token, key: "risk")
            try await stage.eventually("the refund", within: .seconds(60)) {
                try await desk.commerceState(of: id, token: token) == "refunded"
            }
            let reply = try #require(stage.replies(to: sold).first)
            #expect(reply.path == "/inApps/v1/transactions/consumption/\(sold)" && reply.status == 202)
            #expect(try JSONReader.read(reply.body)["refundPreference"] == 1)
            let request = try await desk.api(.get, "/api/v1/commerce-requests/\(id)", token: token).json
            #expect(request?["notificationUUID"]?.string != nil)
            let caseID = try #require(request?["caseId"]?.string)
            // The case shows both; of the items the refunded one ended, the other stays.
            let shown = try await desk.api(.get, "/api/v1/cases/\(caseID)", token: token).json
            #expect(shown?["outcome"]?.string == "refunded")
            #expect(request?["items"]?.array?.first?["revocationDate"] != nil)
            let now = stage.apple.shelves.transaction(sold, in: .production)
            let items = try #require(now?.payload["advancedCommerceInfo"]?["items"]?.array)
            #expect(items.map { $0["revocationDate"] != nil } == [false, true])
            #expect(await desk.stop() == 0)
        }
    }

    @Test func `BL-079: a revocation carries the ordinary token, and a 403 is shown and not repeated`() async throws {
        try await withStage { stage in
            let shop = try await stage.openCommerce(Self.bundleID)
            let token = shop.token
            let desk = try await stage.serve(shop.settings)
            let sold = try stage.sell(Self.bundleID)
            var standing = CommerceStanding()
            standing.hasAddendum = false
            stage.apple.commerce.set(standing, of: Self.bundleID, in: .production)
            let id = try await desk.ask(
                [
                    "kind": "revoke", "environment": "Production", "transactionId": .string(sold),
                    "refundReason": "LEGAL", "refundType": "FULL", "refundRiskingPreference": false,
                    "acceptWarnings": true,
                ], of: Self.bundleID, token: token, key: "revoke")
            try await stage.eventually("the refusal") {
                try await desk.api(.get, "/api/v1/commerce-requests/\(id)", token: token).json?["answer"] != nil
            }
            let call = try #require(stage.commerceCalls(of: sold).first)
            #expect(call.method == "POST" && call.path == "/advancedCommerce/v1/subscription/revoke/\(sold)")
            #expect(call.claims?["aud"] == "appstoreconnect-v1" && call.claims?["bid"]?.string == Self.bundleID)
            #expect(call.tokenFault == nil)
            let body = try JSONReader.read(call.body)
            #expect(UUID(uuidString: body["requestInfo"]?["requestReferenceId"]?.string ?? "") != nil)
            #expect(body["refundReason"] == "LEGAL" && body["refundType"] == "FULL")
            #expect(body["refundRiskingPreference"] == false)
            let shown = try await desk.api(.get, "/api/v1/commerce-requests/\(id)", token: token).json
            #expect(shown?["state"] == "queued" && shown?["stateReason"] == "doubted")
            #expect(shown?["answer"]?["errorCode"]?.int == stage.apple.commerce.addendum.refusal.code)
            #expect(shown?["answer"]?["meaning"]?.string?.contains("addendum") == true)
            // Stopped for everybody: another request of the app is not even tried.
            let other = try stage.sell(Self.bundleID)
            _ = try await desk.ask(Self.body(other), of: Self.bundleID, token: token, key: "other")
            // Its stop was committed with the refusal; what is asked after it waits.
            let waiting = try await desk.inFlight(token: token, of: Self.bundleID)
            #expect(waiting == 2)
            #expect(stage.commerceCalls(of: sold).count == 1 && stage.commerceCalls(of: other).isEmpty)
            #expect(await desk.stop() == 0)
        }
    }
}

private struct NotSo: Error {
    let description: String
}

extension Stage {
    fileprivate var now: Moment { WallClock.system.now }

    fileprivate struct CommerceShop {
        /// Of every scope.
        let token: String
        /// Of a process that serves where Apple's notifications go.
        let settings: [String: String]
    }

    /// An app that sells through Advanced Commerce. Nothing is decided by itself unless `outcome` says so.
    fileprivate func openCommerce(_ bundleID: String, outcome: CommerceOutcome = .none) async throws -> CommerceShop {
        let inbox = try await addApp(bundleID)
        apple.commerce.settings.outcome = outcome
        let address = "127.0.0.1:\(try FreePort.find())"
        guard var app = apple.shelves.app(bundleID) else { throw NotSo(description: "no app is registered") }
        app.notificationURLs = [.production: "http://\(address)\(inbox)"]
        apple.register(app)
        let made = try await command("token", "add", "--tenant", "alpha", "--scope", "all")
        guard let token = made["token"]?.string else { throw NotSo(description: "no token was printed") }
        return CommerceShop(token: token, settings: ["REFUND_DESK_LISTEN": address])
    }

    /// A subscription with two items; its transaction.
    fileprivate func sell(_ bundleID: String) throws -> String {
        let items = [CommerceSale.Item(sku: "base", price: 4990), .init(sku: "audio", price: 2990)]
        guard let sold = try apple.sell(CommerceSale(items, isSubscription: true), of: bundleID).last else {
            throw NotSo(description: "nothing was sold")
        }
        return sold.id
    }

    /// The Advanced Commerce calls about this transaction.
    fileprivate func commerceCalls(of transactionID: String) -> [Call] {
        apple.ledger.calls.filter {
            $0.path.hasPrefix("/advancedCommerce/") && $0.path.hasSuffix("/\(transactionID)")
        }
    }
}

extension Desk {
    fileprivate func api(
        _ method: HTTP.Method, _ path: String, _ body: JSON? = nil, token: String,
        key: String? = nil
    ) async throws -> (status: Int, json: JSON?) {
        var fields = HeaderFields()
        fields.add("Authorization", "Bearer \(token)")
        if body != nil { fields.add("Content-Type", "application/json") }
        if let key { fields.add("Idempotency-Key", key) }
        let answer = try await client.send(
            ClientRequest(method: method, url: address + path, headers: fields, body: body?.bytes))
        return (answer.status, try? JSONReader.read(String(decoding: answer.body, as: UTF8.self)))
    }

    /// Asks for a request; its id.
    fileprivate func ask(_ body: JSON, of bundleID: String, token: String, key: String) async throws -> String {
        let answer = try await api(
            .post, "/api/v1/apps/\(bundleID)/commerce-requests", body, token: token, key: key)
        guard answer.status == 201 || answer.status == 200, let id = answer.json?["id"]?.string else {
            throw NotSo(description: "not asked: \(answer)")
        }
        return id
    }

    /// How many requests wait or are being sent.
    fileprivate func inFlight(token: String, of bundleID: String) async throws -> Int {
        var count = 0
        for state in ["queued", "sending"] {
            let list = try await api(
                .get, "/api/v1/apps/\(bundleID)/commerce-requests?state=\(state)&limit=100", token: token)
            count += list.json?["commerceRequests"]?.array?.count ?? 0
        }
        return count
    }

    fileprivate func commerceState(of id: String, token: String) async throws -> String? {
        try await api(.get, "/api/v1/commerce-requests/\(id)", token: token).json?["state"]?.string
    }
}

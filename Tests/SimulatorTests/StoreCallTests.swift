import HTTP
import Support
import Testing
import Time

@testable import Simulator

@Suite struct `The store's other endpoints` {
    private func transactions(_ apple: Apple, _ reply: Apple.Reply) throws -> [JSON] {
        try #require(reply.json?["signedTransactions"]?.array).map { try apple.verified(try need($0.string)) }
    }

    @Test func `transaction info gives the purchase as it is now, signed now`() async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID, in: .sandbox)
        try apple.apple.write(
            NotificationOrder("REFUND", environment: .sandbox, bundleID: Apple.bundleID, transactionID: bought.id))
        let reply = try await apple.call(.get, "/inApps/v1/transactions/\(bought.id)", .sandbox)
        let payload = try apple.verified(try #require(reply.json?["signedTransactionInfo"]?.string))
        #expect(payload["transactionId"]?.string == bought.id && payload["revocationType"] == "REFUND_FULL")
        let age = apple.apple.now.milliseconds - (payload["signedDate"]?.int ?? 0)
        #expect((0...10_000).contains(age))
        await apple.apple.stop()
    }

    @Test func `history pages by twenty, filters, and shows a changed purchase again at the end`() async throws {
        let apple = try await Apple()
        var ids: [String] = []
        for number in 0..<25 {
            let bought = try apple.apple.purchase(
                Apple.bundleID, productType: number % 5 == 0 ? "Non-Consumable" : "Consumable",
                changes: [
                    "originalTransactionId": "410000000000001", "transactionId": .string("4100000000000\(10 + number)"),
                ])
            ids.append(bought.id)
        }
        let path = "/inApps/v2/history/\(ids[0])"
        let first = try await apple.call(.get, path)
        #expect(first.json?["hasMore"] == true && first.json?["appAppleId"] == 1_500_000_001)
        #expect(try transactions(apple, first).map { $0["transactionId"]?.string } == ids.prefix(20).map { $0 })
        let revision = try #require(first.json?["revision"]?.string)
        try apple.apple.write(NotificationOrder("REFUND", bundleID: Apple.bundleID, transactionID: ids[3]))
        let second = try await apple.call(.get, "\(path)?revision=\(revision)")
        #expect(second.json?["hasMore"] == false)
        #expect(try transactions(apple, second).map { $0["transactionId"]?.string } == ids.suffix(5) + [ids[3]])

        let some = try await apple.call(
            .get, "\(path)?productType=NON_CONSUMABLE&productType=AUTO_RENEWABLE&revoked=false")
        #expect(try transactions(apple, some).count == 5)
        let revoked = try await apple.call(.get, "\(path)?revoked=true&sort=DESCENDING")
        #expect(try transactions(apple, revoked).map { $0["transactionId"]?.string } == [ids[3]])
        await apple.apple.stop()
    }

    @Test(
        arguments: [
            ("productType=Consumable", 4_000_022), ("sort=UP", 4_000_021), ("revoked=1", 4_000_030),
            ("startDate=1790000000", 4_000_015),
            ("endDate=x", 4_000_016), ("startDate=1790000000000&endDate=1790000000000", 4_000_013),
            ("inAppOwnershipType=OWNED", 4_000_026), ("revision=abc", 4_000_005), ("productId=", 4_000_023),
        ] as [(String, Int64)])
    func `a bad filter of history has its own code`(query: String, code: Int64) async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        #expect(try await apple.call(.get, "/inApps/v2/history/\(bought.id)?\(query)").code == code)
        await apple.apple.stop()
    }

    @Test func `a revision goes with its own filters only`() async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        let path = "/inApps/v2/history/\(bought.id)"
        let revision = try #require(try await apple.call(.get, "\(path)?revoked=false").json?["revision"]?.string)
        #expect(try await apple.call(.get, "\(path)?revoked=false&revision=\(revision)").status == 200)
        #expect(try await apple.call(.get, "\(path)?revoked=true&revision=\(revision)").code == 4_000_005)
        await apple.apple.stop()
    }

    @Test func `refund history lists what Apple approved, oldest first, and nothing of Family Sharing`() async throws {
        let apple = try await Apple()
        let changes: JSONObject = ["originalTransactionId": "410000000000001"]
        let bought = try (0..<3).map { _ in try apple.apple.purchase(Apple.bundleID, changes: changes) }
        let path = "/inApps/v2/refund/lookup/\(bought[0].id)"
        let empty = try await apple.call(.get, path)
        #expect(empty.status == 200 && empty.json?["hasMore"] == false && empty.json?["signedTransactions"] == [])
        for place in [2, 0] {
            try apple.apple.write(
                NotificationOrder("REFUND", bundleID: Apple.bundleID, transactionID: bought[place].id))
        }
        try apple.apple.write(NotificationOrder("REVOKE", bundleID: Apple.bundleID, transactionID: bought[1].id))
        let reply = try await apple.call(.get, path)
        #expect(try transactions(apple, reply).map { $0["transactionId"]?.string } == [bought[2].id, bought[0].id])
        let revision = try #require(reply.json?["revision"]?.string)
        #expect(try await apple.call(.get, "\(path)?revision=\(revision)").json?["signedTransactions"] == [])
        #expect(try await apple.call(.get, "\(path)?revision=zzz").code == 4_000_005)
        await apple.apple.stop()
    }

    @Test func `an order is looked up in production only, and an unknown one is a 200 with status 1`() async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        let reply = try await apple.call(.get, "/inApps/v1/lookup/\(bought.orderID)")
        #expect(reply.json?["status"] == 0)
        #expect(try transactions(apple, reply).map { $0["transactionId"]?.string } == [bought.id])
        let unknown = try await apple.call(.get, "/inApps/v1/lookup/M9ZZZZZZZ")
        #expect(unknown.status == 200 && unknown.json == ["status": 1])
        #expect(try await apple.call(.get, "/inApps/v1/lookup/\(bought.orderID)", .sandbox).code == 4_000_000)
        #expect(try await apple.call(.get, "/inApps/v1/lookup/no-order").code == 4_000_000)
        await apple.apple.stop()
    }

    @Test func `a test notification is posted, and its status can be read`() async throws {
        let apple = try await Apple()
        #expect(try await apple.call(.post, "/inApps/v1/notifications/test", .sandbox).code == 4_040_007)
        let receiver = try await Receiver()
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.sandbox: receiver.url]
        apple.apple.register(app)
        let asked = try await apple.call(.post, "/inApps/v1/notifications/test", .sandbox)
        let token = try #require(asked.json?["testNotificationToken"]?.string)
        let body = try #require(try await receiver.wait(for: 1).first)
        #expect(try apple.verified(try need(body["signedPayload"]?.string))["notificationType"] == "TEST")
        var status = try await apple.call(.get, "/inApps/v1/notifications/test/\(token)", .sandbox)
        while status.code == 4_040_008 {
            status = try await apple.call(.get, "/inApps/v1/notifications/test/\(token)", .sandbox)
        }
        #expect(status.json?["signedPayload"] == body["signedPayload"])
        #expect(status.json?["sendAttempts"]?.array?.first?["sendAttemptResult"] == "SUCCESS")
        #expect(try await apple.call(.get, "/inApps/v1/notifications/test/x", .sandbox).code == 4_000_020)
        #expect(
            try await apple.call(.get, "/inApps/v1/notifications/test/\(token)").code == 4_040_008,
            "the other environment")
        await apple.apple.stop()
    }

    @Test func `notification history pages by twenty and filters`() async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        for _ in 0..<22 { try apple.apple.write(NotificationOrder("TEST", bundleID: Apple.bundleID)) }
        try apple.apple.write(NotificationOrder("REFUND_DECLINED", bundleID: Apple.bundleID, transactionID: bought.id))
        let now = apple.apple.now.milliseconds
        let dates: JSONObject = ["startDate": .int(now - 86_400_000), "endDate": .int(now + 60_000)]
        func ask(_ changes: JSONObject, _ query: String = "", _ environment: StoreEnvironment = .production)
            async throws -> Apple.Reply
        {
            try await apple.call(
                .post, "/inApps/v1/notifications/history\(query)", environment,
                body: .object(dates.changed(by: changes)))
        }
        let first = try await ask([:])
        #expect(first.json?["hasMore"] == true && first.json?["notificationHistory"]?.array?.count == 20)
        let token = try #require(first.json?["paginationToken"]?.string)
        let second = try await ask([:], "?paginationToken=\(token)")
        #expect(second.json?["hasMore"] == false && second.json?["paginationToken"] == nil)
        #expect(second.json?["notificationHistory"]?.array?.count == 3)
        #expect(try await ask(["onlyFailures": true], "?paginationToken=\(token)").code == 4_000_014, "another body")
        let declined = try await ask(["notificationType": "REFUND_DECLINED"])
        #expect(declined.json?["notificationHistory"]?.array?.count == 1)
        #expect(try await ask(["transactionId": .string(bought.id)]).json?["notificationHistory"]?.array?.count == 1)
        #expect(try await ask([:], "", .sandbox).json?["notificationHistory"] == [])
        for (changes, code): (JSONObject, Int64) in [
            (["startDate": .int(now - 181 * 86_400_000)], 4_000_012), (["endDate": .int(now - 86_400_000)], 4_000_013),
            (["startDate": nil], 4_000_015), (["endDate": "tomorrow"], 4_000_016),
            (["notificationType": "REFUNDED"], 4_000_018),
            (["notificationType": "TEST", "notificationSubtype": "SUMMARY"], 4_000_018),
            (["notificationSubtype": "SUMMARY"], 4_000_018),
            (["notificationType": "TEST", "transactionId": "1"], 4_000_019),
            (["transactionId": "410000000000009"], 4_040_010), (["transactionId": "x"], 4_000_006),
        ] {
            #expect(try await ask(changes).code == code, "\(JSON.object(changes).text)")
        }
        #expect(try await ask(["startDate": .int(now - 31 * 86_400_000)], "", .sandbox).code == 4_000_012)
        await apple.apple.stop()
    }

    @Test func `of an address with version 1 a TEST is signed all the same, and the rest is not`() async throws {
        let apple = try await Apple()
        let receiver = try await Receiver()
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url]
        app.notificationVersions = [.production: 1]
        apple.apple.register(app)
        for (type, product) in [
            ("TEST", "Consumable"), ("CONSUMPTION_REQUEST", "Consumable"), ("REFUND", "Auto-Renewable Subscription"),
            ("REFUND_DECLINED", "Consumable"), ("CONSUMPTION_REQUEST", "Non-Consumable"),
        ] {
            try await apple.apple.send(NotificationOrder(type, bundleID: Apple.bundleID, productType: product))
        }
        let bodies = receiver.bodies
        #expect(bodies.count == 3, "version 1 has no word for the other two")
        #expect(bodies.first?["signedPayload"] != nil)
        #expect(bodies.dropFirst().map { $0["notification_type"]?.string } == ["CONSUMPTION_REQUEST", "CANCEL"])
        #expect(bodies.dropFirst().allSatisfy { $0["signedPayload"] == nil && $0["unified_receipt"] != nil })
        let now = apple.apple.now.milliseconds
        let history = try await apple.call(
            .post, "/inApps/v1/notifications/history",
            body: ["startDate": .int(now - 86_400_000), "endDate": .int(now + 60_000)])
        #expect(history.json?["notificationHistory"]?.array?.count == 1, "only version 2 is kept")
        await apple.apple.stop()
    }

    @Test func `a silent server is TIMED_OUT, a closed port SOCKET_ISSUE, a strange character set is named`()
        async throws
    {
        let apple = try await Apple { $0.pace.senderPatience = 50 }
        let cases: [(ScriptedServer.Step?, String)] = [
            (.silence, "TIMED_OUT"), (nil, "SOCKET_ISSUE"), (.reset, "PREMATURE_CLOSE"),
            (.answer(206), "SUCCESS"), (.answer(307), "UNSUCCESSFUL_HTTP_RESPONSE_CODE"),
            (.answer(200, fields: [("Content-Type", "text/plain; charset=UTF-16")]), "UNSUPPORTED_CHARSET"),
            (.answer(200, fields: [("Content-Type", "text/plain; charset=utf-8")]), "SUCCESS"),
        ]
        for (step, result) in cases {
            var order = NotificationOrder("TEST", environment: .sandbox, bundleID: Apple.bundleID)
            let server = try step.map { try ScriptedServer(steps: [$0]) }
            // Port 1 has no listener.
            order.url = server.map { $0.url + "/n" } ?? "http://127.0.0.1:1/n"
            #expect(try await apple.apple.send(order).attempts.map(\.result) == [result], "\(result)")
        }
        await apple.apple.stop()
    }

    @Test func `an app that is not on sale has the bare 401 in Production for the calls about notifications too`()
        async throws
    {
        let apple = try await Apple()
        #expect(
            try await apple.control(.put, "/apps/\(Apple.bundleID)", ["onSale": false]).json?["released"] == false)
        let now = apple.apple.now.milliseconds
        let dates: JSON = ["startDate": .int(now - 3_600_000), "endDate": .int(now)]
        let refused = try await apple.call(.post, "/inApps/v1/notifications/history", body: dates)
        #expect(refused.status == 401 && refused.json == nil)
        #expect(try await apple.call(.post, "/inApps/v1/notifications/history", .sandbox, body: dates).status == 200)
        #expect(try await apple.call(.post, "/inApps/v1/notifications/test").status == 401)
        await apple.apple.stop()
    }

    @Test func `an address and its version are set, shown and taken away by the control API`() async throws {
        let apple = try await Apple()
        let set = try await apple.control(
            .put, "/apps/\(Apple.bundleID)",
            [
                "notificationURLs": ["Sandbox": "http://127.0.0.1:1/n"], "notificationVersion": 1,
                "notificationVersions": ["Production": 2],
            ])
        #expect(set.json?["notificationURLs"] == ["Sandbox": "http://127.0.0.1:1/n"])
        #expect(set.json?["notificationVersions"] == ["Production": 2, "Sandbox": 1])
        let gone = try await apple.control(.put, "/apps/\(Apple.bundleID)", ["notificationURLs": ["Sandbox": nil]])
        #expect(gone.json?["notificationURLs"] == [:])
        #expect(try await apple.call(.post, "/inApps/v1/notifications/test", .sandbox).code == 4_040_007)
        let bad = try await apple.control(.put, "/apps/\(Apple.bundleID)", ["notificationVersion": 3])
        #expect(bad.status == 400)
        await apple.apple.stop()
    }
}

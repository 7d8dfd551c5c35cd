import Testing
import Time

@testable import Simulator

@Suite struct `Notifications` {
    private func inner(_ apple: Apple, _ payload: JSON, _ name: String = "signedTransactionInfo") throws -> JSON {
        try apple.verified(try #require(payload["data"]?[name]?.string))
    }

    @Test func `a request for a subscription has the members of Apple's page, signed three times over`() async throws {
        let apple = try await Apple()
        let receiver = try await Receiver()
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", bundleID: Apple.bundleID, productType: "Auto-Renewable Subscription",
            reason: "UNSATISFIED_WITH_PURCHASE")
        order.url = receiver.url
        let sent = try await apple.apple.send(order)
        #expect(sent.attempts.map(\.status) == [200] && sent.attempts.map(\.result) == ["SUCCESS"])

        let body = try #require(receiver.bodies.first?.object)
        #expect(body.names == ["signedPayload"])
        let payload = try apple.verified(try #require(body["signedPayload"]?.string))
        #expect(payload.object?.names == ["notificationType", "notificationUUID", "data", "version", "signedDate"])
        #expect(payload["version"] == "2.0")
        let data = try #require(payload["data"]?.object)
        #expect(
            data.names == [
                "environment", "appAppleId", "bundleId", "bundleVersion", "status", "consumptionRequestReason",
                "signedTransactionInfo", "signedRenewalInfo",
            ])
        #expect(data["environment"] == "Production" && data["appAppleId"] == 1_500_000_001 && data["status"] == 1)
        let transaction = try inner(apple, payload)
        let renewal = try inner(apple, payload, "signedRenewalInfo")
        #expect(
            transaction["type"] == "Auto-Renewable Subscription" && transaction["bundleId"]?.string == Apple.bundleID)
        #expect(transaction["signedDate"] == payload["signedDate"])
        #expect(renewal["originalTransactionId"] == transaction["originalTransactionId"])
        #expect(renewal["bundleId"] == nil && renewal["price"] == nil)
        await apple.apple.stop()
    }

    @Test func `in the sandbox the app's Apple id is left out, and a consumable has no status and no renewal`()
        async throws
    {
        let apple = try await Apple()
        let sent = try apple.apple.write(
            NotificationOrder("CONSUMPTION_REQUEST", environment: .sandbox, bundleID: Apple.bundleID))
        let data = try #require(sent.payload["data"]?.object)
        #expect(data.names == ["environment", "bundleId", "bundleVersion", "signedTransactionInfo"])
        #expect(data["environment"] == "Sandbox")
        let transaction = try inner(apple, sent.payload)
        #expect(transaction["environment"] == "Sandbox" && transaction["expiresDate"] == nil)
        #expect(transaction.object?.members.contains { $0.value == .null } == false, "absent means absent")
        await apple.apple.stop()
    }

    @Test func `each type fills its one of the four parts`() async throws {
        let apple = try await Apple()
        for (type, subtype, part): (String, String?, String) in [
            ("TEST", nil, "data"), ("REFUND", nil, "data"), ("RENEWAL_EXTENSION", "SUMMARY", "summary"),
            ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", "externalPurchaseToken"), ("RESCIND_CONSENT", nil, "appData"),
        ] {
            let sent = try apple.apple.write(NotificationOrder(type, subtype: subtype, bundleID: Apple.bundleID))
            let parts = Set(sent.payload.object?.names ?? []).intersection([
                "data", "summary", "externalPurchaseToken", "appData",
            ])
            #expect(parts == [part], "\(type)")
            #expect(sent.payload[part]?["bundleId"]?.string == Apple.bundleID, "\(type)")
        }
        let test = try apple.apple.write(NotificationOrder("TEST", bundleID: Apple.bundleID))
        #expect(test.payload["data"]?["signedTransactionInfo"] == nil)
        await apple.apple.stop()
    }

    @Test func `refund, reversal and the end of sharing change the purchase as Apple's pages say`() async throws {
        let apple = try await Apple()
        let bought = try apple.apple.purchase(Apple.bundleID)
        func tell(_ type: String) throws -> JSON {
            try inner(
                apple,
                try apple.apple.write(NotificationOrder(type, bundleID: Apple.bundleID, transactionID: bought.id))
                    .payload)
        }
        let refund = try tell("REFUND")
        #expect(refund["revocationType"] == "REFUND_FULL" && refund["revocationPercentage"] == 100_000)
        #expect(refund["revocationReason"] == 0 && refund["revocationDate"]?.int != nil)
        let reversed = try tell("REFUND_REVERSED")
        for name in ["revocationType", "revocationPercentage", "revocationReason", "revocationDate"] {
            #expect(reversed[name] == nil)
        }
        #expect(try tell("REFUND_DECLINED")["revocationDate"] == nil)
        let member = try inner(
            apple, try apple.apple.write(NotificationOrder("REVOKE", bundleID: Apple.bundleID)).payload)
        #expect(member["inAppOwnershipType"] == "FAMILY_SHARED" && member["revocationType"] == "FAMILY_REVOKE")
        #expect(member["revocationDate"]?.int != nil && member["transactionId"]?.string != bought.id)
        await apple.apple.stop()
    }

    @Test func `whatever is wanted can be changed, dated back, repeated or signed raw`() async throws {
        let apple = try await Apple()
        let receiver = try await Receiver()
        var order = NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID)
        order.url = receiver.url
        order.copies = 3
        order.signedDateOffset = .seconds(-3600)
        order.transaction = [
            "transactionId": "2000000900000001", "appAccountToken": nil, "price": 129_000_000, "currency": "VND",
        ]
        order.data = ["bundleVersion": nil, "newMember": true]
        order.payload = ["version": "3.0"]
        let before = apple.apple.now
        let sent = try await apple.apple.send(order)
        let bodies = receiver.bodies
        #expect(bodies.count == 3 && Set(bodies).count == 1 && sent.attempts.count == 3)
        #expect(sent.payload["version"] == "3.0" && sent.payload["data"]?["newMember"] == true)
        #expect(sent.payload["data"]?["bundleVersion"] == nil)
        let signed = try #require(sent.payload["signedDate"]?.int)
        #expect((before.milliseconds - 3_600_000...before.milliseconds - 3_500_000).contains(signed))
        let transaction = try inner(apple, sent.payload)
        #expect(
            transaction["transactionId"] == "2000000900000001"
                && transaction["originalTransactionId"] == "2000000900000001")
        #expect(transaction["appAccountToken"] == nil && transaction["currency"] == "VND")
        #expect(apple.apple.shelves.transaction("2000000900000001", in: .production) != nil, "the API knows it")

        order = NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID)
        order.rawTransaction = ["odd": [1, 2, 3]]
        #expect(try inner(apple, try apple.apple.write(order).payload) == ["odd": [1, 2, 3]])
        order.rawPayload = "only text"
        #expect(try apple.verified(try apple.apple.write(order).signedPayload) == "only text")
        await apple.apple.stop()
    }

    @Test func `orders that cannot be carried out say why`() async throws {
        let apple = try await Apple()
        #expect(throws: OrderFault.self) {
            try apple.apple.write(NotificationOrder("REFUND", bundleID: "org.example.nobody"))
        }
        #expect(throws: OrderFault.self) {
            try apple.apple.write(NotificationOrder("REFUND", bundleID: Apple.bundleID, transactionID: "1"))
        }
        await #expect(throws: OrderFault.self) {
            try await apple.apple.send(NotificationOrder("TEST", bundleID: Apple.bundleID))
        }
        await apple.apple.stop()
    }

    @Test func `every start has a certificate authority of its own`() async throws {
        let one = try await Apple(seed: 1)
        let two = try await Apple(seed: 1)
        #expect(one.apple.rootDER != two.apple.rootDER)
        #expect(one.apple.numbers != two.apple.numbers)
        await one.apple.stop()
        await two.apple.stop()
    }

    @Test func `a failed production notification is tried again on Apple's schedule, a sandbox one never`() async throws
    {
        let apple = try await Apple {
            $0.manners = .calm
            $0.manners.retries = true
            $0.pace.retryHour = 1
        }
        let receiver = try await Receiver()
        receiver.answer([503, 302, 404, 500, 100, 500, 500])
        var order = NotificationOrder("TEST", environment: .sandbox, bundleID: Apple.bundleID)
        order.url = receiver.url
        let sandbox = try await apple.apple.send(order)
        #expect(sandbox.attempts.map(\.result) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
        receiver.answer([503, 404, 500, 500, 500, 500, 500])
        order.environment = .production
        let production = try await apple.apple.send(order)
        _ = try await receiver.wait(for: 7)
        // The body of the sixth attempt has arrived; its outcome is kept when its answer has.
        var attempts: [SentNotification.Attempt] = []
        while attempts.count < 6 {
            attempts = apple.apple.shelves.notification(production.uuid)?.attempts ?? []
            await Task.yield()
        }
        #expect(attempts.count == 6, "one attempt and five retries")
        #expect(Set(receiver.bodies.dropFirst()).count == 1, "always the same bytes")
        #expect(apple.apple.shelves.notification(sandbox.uuid)?.attempts.count == 1)
        await apple.apple.stop()
    }

    @Test func `an accepted answer is followed by a decision that fits it, and it can be reversed by order`()
        async throws
    {
        let receiver = try await Receiver()
        let apple = try await Apple {
            $0.manners = .calm
            $0.manners.decisions = true
            $0.pace.decision = 0...1
        }
        var order = NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID, reason: "FULFILLMENT_ISSUE")
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url, .sandbox: receiver.url]
        apple.apple.register(app)
        order.transaction = ["transactionId": "2000000900000001"]
        try await apple.apple.send(order)
        let transaction = try #require(apple.apple.shelves.transaction("2000000900000001", in: .production))
        let body: JSON = [
            "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": true,
            "consumptionPercentage": 80_000, "refundPreference": "GRANT_PRORATED",
        ]
        #expect(try await apple.consume(transaction, body).status == 202)
        let bodies = try await receiver.wait(for: 2)
        let payload = try apple.verified(try #require(bodies[1]["signedPayload"]?.string))
        #expect(payload["notificationType"] == "REFUND")
        let refunded = try inner(apple, payload)
        #expect(refunded["revocationType"] == "REFUND_PRORATED" && refunded["revocationPercentage"] == 20_000)
        #expect(refunded["revocationReason"] == 1, "the customer complained of the app")
        #expect(try await apple.consume(transaction, body).status == 202)
        #expect(apple.apple.ledger.calls.last?.remarks == ["nothing was asked: not weighed"])
        await apple.apple.stop()
    }

    @Test func `a request that nobody answers is decided all the same, once`() async throws {
        let receiver = try await Receiver()
        let apple = try await Apple {
            $0.manners = .calm
            $0.pace.patience = 1
        }
        var order = NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID)
        order.decides = true
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url]
        apple.apple.register(app)
        try await apple.apple.send(order)
        let bodies = try await receiver.wait(for: 2)
        #expect(try apple.verified(try need(bodies[1]["signedPayload"]?.string))["notificationType"] == "REFUND")
        await apple.apple.stop()
    }
}

import HTTP
import Testing
import Time

@testable import Simulator

@Suite struct `Advanced Commerce calls` {
    @Test func `a refund of one item of three is accepted, then booked and told, once`() async throws {
        let shop = try await Shop()
        shop.apple.apple.commerce.settings.outcome = .refund
        let sold = try #require(try shop.subscription(.sandbox).last)
        let body = Shop.body(
            .refund, items: [Shop.item("audio", ["refundType": "CUSTOM", "refundAmount": 1990, "revoke": true])])
        let reply = try await shop.call(.refund, sold.id, body, .sandbox)
        #expect(reply.status == 200)
        let answered = try shop.apple.verified(try #require(reply.json?["signedTransactionInfo"]?.string))
        #expect(answered["transactionId"]?.string == sold.id)
        let renewal = try shop.apple.verified(try #require(reply.json?["signedRenewalInfo"]?.string))
        #expect(renewal["advancedCommerceInfo"]?["items"]?.array?.count == 3)
        let told = try await shop.told(1)
        #expect(told.map(\.type) == ["REFUND"])
        let transaction = try #require(told.first?.transaction)
        #expect(transaction["revocationDate"] == nil && transaction["revocationType"] == nil)
        let items = try #require(transaction["advancedCommerceInfo"]?["items"]?.array)
        #expect(items.map { $0["revocationDate"] != nil } == [false, true, false])
        #expect(items[1]["refunds"]?.array?.first?["refundAmount"] == 1990)
        let ledger = try await shop.apple.control(.get, "/commerce/refunds?transactionId=\(sold.id)&SKU=audio")
        #expect(ledger.json?["count"] == 1)
        #expect(
            ledger.json?["refunds"]?.array?.first?["requestReferenceId"] == body["requestInfo"]?["requestReferenceId"])
        let info = try await shop.apple.call(.get, "/inApps/v1/transactions/\(sold.id)", .sandbox)
        let now = try shop.apple.verified(try #require(info.json?["signedTransactionInfo"]?.string))
        #expect(now["advancedCommerceInfo"] == transaction["advancedCommerceInfo"])
        let history = try await shop.apple.call(.get, "/inApps/v2/refund/lookup/\(sold.id)", .sandbox)
        #expect(history.json?["signedTransactions"]?.array?.count == 1)
        let again = Shop.body(.refund, items: [Shop.item("audio")])
        #expect(try await shop.call(.refund, sold.id, again, .sandbox).status == 200, "1000 are left")
        _ = try await shop.told(2)
        let third = Shop.body(.refund, items: [Shop.item("audio")])
        #expect(try await shop.call(.refund, sold.id, third, .sandbox).code == 4_030_021)
        await shop.stop()
    }

    @Test func `a reference is used once, and a call whose answer was lost may be made again`() async throws {
        let shop = try await Shop()
        let sold = try #require(try shop.subscription().last)
        let path = "/advancedCommerce/"
        let body = Shop.body(.refund, ["requestInfo": ["requestReferenceId": "0B1D4C6E-3E54-4C71-9B1F-6F0B5C0B7A11"]])
        shop.apple.apple.script.add(
            [
                ScriptedAnswer(ending: .reset, pathContains: path),
                ScriptedAnswer(status: 500, pathContains: path),
            ], in: .production)
        await #expect(throws: (any Error).self) { try await shop.call(.refund, sold.id, body) }
        var failing = ScriptedAnswer(status: 503, pathContains: path)
        failing.isWorked = true
        #expect(try await shop.call(.refund, sold.id, body).status == 500)
        shop.apple.apple.script.add([failing], in: .production)
        #expect(try await shop.call(.refund, sold.id, body).status == 503)
        let other = Shop.body(
            .refund, items: [Shop.item("base")], ["requestInfo": body["requestInfo"] ?? .null])
        #expect(try await shop.call(.refund, sold.id, other).code == 4_000_097, "the same reference, another request")
        #expect(try await shop.call(.refund, sold.id, body).status == 200)
        #expect(try await shop.call(.refund, sold.id, body).code == 4_000_097, "the answer was sent")
        #expect(shop.apple.apple.commerce.requests.map(\.repeats) == [2])
        let reference = "0b1d4c6e-3e54-4c71-9b1f-6f0b5c0b7a11"
        #expect(shop.apple.apple.decide(reference, as: .refund))
        #expect(!shop.apple.apple.decide(reference, as: .refund))
        #expect(shop.apple.apple.commerce.refunds.count == 1)
        shop.apple.apple.commerce.settings.repeats = .same
        #expect(try await shop.call(.refund, sold.id, body).status == 200)
        #expect(shop.apple.apple.commerce.refunds.count == 1)
        let refused = Shop.body(.refund, items: [Shop.item("stranger")])
        shop.apple.apple.commerce.settings.repeats = .untilAnswered
        #expect(try await shop.call(.refund, sold.id, refused).code == 4_030_013)
        #expect(try await shop.call(.refund, sold.id, refused).code == 4_000_097)
        await shop.stop()
    }

    @Test func `a revocation ends everything, and a cancellation the renewal only`() async throws {
        let shop = try await Shop()
        shop.apple.apple.commerce.settings.outcome = .refund
        let chain = try shop.subscription(earlier: 2)
        let original = try #require(chain.first)
        let revoked = try await shop.call(.revoke, original.id, Shop.body(.revoke, ["refundType": "PRORATED"]))
        let answered = try shop.apple.verified(try #require(revoked.json?["signedTransactionInfo"]?.string))
        #expect(answered["transactionId"]?.string == chain[2].id, "the latest one, by the original's id")
        let told = try await shop.told(2)
        #expect(Set(told.map(\.type)) == ["REFUND", "DID_CHANGE_RENEWAL_STATUS"])
        let refund = try #require(told.first { $0.type == "REFUND" })
        #expect(refund.transaction?["revocationDate"]?.int != nil && refund.data?["status"] == 5)
        #expect(refund.transaction?["revocationType"] == nil)
        #expect(
            refund.transaction?["advancedCommerceInfo"]?["items"]?.array?.allSatisfy { $0["revocationDate"] != nil }
                == true)
        #expect(shop.apple.apple.commerce.refunds.map(\.type) == ["PRORATED", "PRORATED", "PRORATED"])
        #expect(try await shop.call(.revoke, original.id, Shop.body(.revoke)).code == 4_000_186)

        let kept = try #require(try shop.subscription().last)
        let body = Shop.body(.cancel)
        let cancelled = try await shop.call(.cancel, kept.id, body)
        let renewal = try shop.apple.verified(try #require(cancelled.json?["signedRenewalInfo"]?.string))
        #expect(renewal["autoRenewStatus"] == 0)
        #expect(try await shop.told(3).last?.type == "DID_CHANGE_RENEWAL_STATUS")
        #expect(
            try await shop.call(.cancel, kept.id, body).status == 200, "the list lacks 4000097: it is the same call")
        #expect(try await shop.call(.cancel, kept.id, Shop.body(.cancel)).code == 4_000_135)
        #expect(shop.apple.apple.shelves.transaction(kept.id, in: .production)?.isRevoked == false)
        #expect(shop.apple.apple.commerce.refunds.count == 3)
        let expired = try await shop.apple.control(.put, "/commerce/transactions/\(kept.id)", ["expires": true])
        #expect(expired.status == 200)
        #expect(try await shop.told(4).last?.type == "EXPIRED")
        await shop.stop()
    }

    @Test(arguments: [(1, "REFUND"), (2, "REFUND_DECLINED")])
    func `the consumption request is linked, and its answer is weighed`(preference: Int64, type: String) async throws {
        let shop = try await Shop { $0.pace.patience = 60_000 }
        shop.apple.apple.commerce.settings.outcome = .asAnswered
        let sold = try #require(try shop.subscription().last)
        let body = Shop.body(
            .refund, items: [Shop.item("audio", ["refundReason": "FULFILLMENT_ISSUE"])],
            ["refundRiskingPreference": true])
        #expect(try await shop.call(.refund, sold.id, body).status == 200)
        let asked = try #require(try await shop.told(1).first)
        #expect(asked.type == "CONSUMPTION_REQUEST" && asked.data?["consumptionRequestReason"] == "FULFILLMENT_ISSUE")
        #expect(asked.transaction?["transactionId"]?.string == sold.id)
        #expect(try await shop.call(.refund, sold.id, Shop.body(.refund)).code == 4_000_181, "it is pending")
        let answer: JSON = [
            "customerConsented": true, "consumptionStatus": 1, "platform": 1, "sampleContentProvided": false,
            "deliveryStatus": 0, "appAccountToken": "", "accountTenure": 0, "playTime": 0,
            "lifetimeDollarsPurchased": 0, "lifetimeDollarsRefunded": 0, "userStatus": 1,
            "refundPreference": .int(preference),
        ]
        #expect(try await shop.apple.consume(sold, answer, version: 1).status == 202)
        #expect(try await shop.told(2).last?.type == type)
        await shop.stop()
    }

    @Test func `declines are told or not, and silent refunds show in the API alone`() async throws {
        let shop = try await Shop()
        let decline = [Shop.item("audio", ["refundReason": "SIMULATE_REFUND_DECLINE"])]
        let sold = try #require(try shop.subscription(.sandbox).last)
        #expect(try await shop.call(.refund, sold.id, Shop.body(.refund, items: decline), .sandbox).status == 200)
        #expect(try await shop.told(1).map(\.type) == ["REFUND_DECLINED"])
        for outcome in [CommerceOutcome.silentDecline, .silentRefund] {
            let body = Shop.body(.refund)
            #expect(try await shop.call(.refund, sold.id, body, .sandbox).status == 200)
            let reference = try #require(body["requestInfo"]?["requestReferenceId"]?.string)
            let decided = try await shop.apple.control(
                .post, "/commerce/requests/\(reference)/decision", ["outcome": .string(outcome.rawValue)])
            #expect(decided.json?["state"]?.string == (outcome == .silentRefund ? "refunded" : "declined"))
        }
        #expect(shop.receiver.bodies.count == 1)
        #expect(shop.apple.apple.commerce.refunds.count == 1)
        await shop.stop()
    }

    @Test func `an answer can come after the refund was booked`() async throws {
        let shop = try await Shop()
        shop.apple.apple.commerce.settings.outcome = .refund
        shop.apple.apple.commerce.settings.answersAfterDecision = true
        let sold = try shop.oneTime(storefront: "JPN")
        let reply = try await shop.call(
            .refund, sold.id, Shop.body(.refund, items: [Shop.item("course", ["revoke": true])]))
        let answered = try shop.apple.verified(try #require(reply.json?["signedTransactionInfo"]?.string))
        #expect(answered["revocationDate"] != nil && reply.json?["signedRenewalInfo"] == nil)
        #expect(answered["currency"] == "JPY")
        await shop.stop()
    }

    @Test func `approval, addendum, token and host are looked at before the call`() async throws {
        let shop = try await Shop()
        let book = shop.apple.apple.commerce
        let unknown = "410000000000001"
        #expect(try await shop.call(.cancel, unknown, Shop.body(.cancel)).code == 4_040_010, "the door is open")
        _ = try await shop.apple.control(
            .put, "/commerce/apps/\(Apple.bundleID)", ["environment": "Production", "addendum": false])
        let refused = try await shop.call(.cancel, unknown, Shop.body(.cancel))
        let code = try #require(refused.code)
        #expect(code == book.addendum.refusal.code && refused.status == Int(code / 10_000))
        #expect(`The rules of Advanced Commerce`.listed.values.allSatisfy { !$0.contains(code) })
        #expect(try await shop.call(.cancel, unknown, Shop.body(.cancel), .sandbox).code == 4_040_010)
        #expect(Set((0..<50).map { _ in CommerceAddendum().refusal.code }).count > 25, "drawn anew")
        var standing = CommerceStanding()
        standing.isApproved = false
        book.set(standing, of: Apple.bundleID, in: .production)
        #expect(try await shop.call(.cancel, unknown, Shop.body(.cancel)).code == 4_010_000)
        book.set(CommerceStanding(), of: Apple.bundleID, in: .production)

        let bare = try await shop.call(.cancel, unknown, Shop.body(.cancel), authorization: "Bearer x")
        #expect(bare.status == 401 && bare.json == nil)
        book.settings.refusesTokensInJSON = true
        #expect(try await shop.call(.cancel, unknown, Shop.body(.cancel), authorization: "Bearer x").code == 4_010_000)

        book.settings.areOnNewHosts = false
        #expect(try await shop.call(.cancel, unknown, Shop.body(.cancel)).status == 404)
        let older = try await Apple.send(
            .post, shop.apple.apple.address + "/itunes/production" + Shop.path(.cancel, unknown),
            authorization: "Bearer \(try shop.apple.token())", body: Shop.body(.cancel).bytes)
        #expect(older.code == 4_040_010)
        #expect(shop.apple.apple.ledger.calls.last?.isOlderHost == true)
        #expect(shop.apple.apple.ledger.calls.last?.path == Shop.path(.cancel, unknown))
        await shop.stop()
    }

    @Test func `more than five in a second, or one in two in the sandbox, are refused and counted`() {
        let meter = CommerceMeter()
        func refusal(_ at: Int64, _ environment: StoreEnvironment) -> Int64? {
            meter.refusal(
                app: "a", environment: environment, now: Moment(milliseconds: at), countsSeconds: true,
                jitterMilliseconds: 100)?.milliseconds
        }
        let production = [0, 200, 400, 600, 800, 850, 950, 1150].map { refusal(10_000 + $0, .production) }
        #expect(production == [nil, nil, nil, nil, nil, 11_000, nil, nil])
        let sandbox = [0, 1000, 1950, 3000, 3900].map { refusal(20_000 + $0, .sandbox) }
        #expect(sandbox == [nil, 22_000, nil, 23_950, nil])
        let counts = meter.counts
        #expect(counts.map(\.calls) == [8, 5] && counts.map(\.refused) == [1, 2])
        #expect(counts[0].busiest[1000] == 7 && counts[0].busiest[900] == 6)
        #expect(counts[1].busiest[2000] == 3 && counts[1].busiest[1000] == 2)
    }

    @Test func `the limit is answered with an absolute moment, per app`() async throws {
        let before = WallClock.system.now
        let shop = try await Shop { $0.clock = WallClock { before } }
        shop.apple.apple.commerce.settings.countsSeconds = true
        #expect(try await shop.call(.cancel, "410001", Shop.body(.cancel), .sandbox).code == 4_040_010)
        let refused = try await shop.call(.refund, "410001", Shop.body(.refund), .sandbox)
        #expect(refused.status == 429 && refused.code == 4_290_000)
        let until = try #require(refused.headers["Retry-After"].flatMap { Int64($0) })
        #expect(until == before.milliseconds + 2000)
        let rates = try await shop.apple.control(.get, "/commerce/rates?bundleId=\(Apple.bundleID)")
        #expect(rates.json?["rates"]?.array?.first?["calls"] == 2)
        await shop.stop()
    }

    @Test func `what is drawn is the same with the same seed`() async throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            let shop = try await Shop(seed: 5)
            shop.apple.apple.commerce.settings.outcome = .drawn
            shop.apple.apple.commerce.settings.decidesAtOnce = true
            for place in 0..<20 {
                let sold = try #require(
                    try shop.subscription { $0.transactionID = "41000000000\(1000 + place)" }.last)
                #expect(try await shop.call(.refund, sold.id, Shop.body(.refund)).status == 200)
            }
            runs.append(shop.apple.apple.commerce.requests.map(\.state.rawValue))
            await shop.stop()
        }
        #expect(runs[0] == runs[1] && Set(runs[0]).isSuperset(of: ["refunded", "declined"]))
    }

    @Test func `purchases are sold and told through the control API`() async throws {
        let shop = try await Shop()
        let sold = try await shop.apple.control(
            .post, "/commerce/purchases",
            [
                "bundleId": .string(Apple.bundleID), "kind": "subscription", "storefront": "JPN", "earlierPeriods": 1,
                "items": [["SKU": "base", "price": 800_000], ["SKU": "audio", "price": 200_000]], "tells": true,
            ])
        #expect(sold.status == 201 && sold.json?["transactions"]?.array?.count == 2)
        let told = try await shop.told(2)
        #expect(Set(told.map(\.type)) == ["SUBSCRIBED", "DID_RENEW"])
        #expect(told.allSatisfy { $0.transaction?["price"] == 1_000_000 && $0.transaction?["currency"] == "JPY" })
        for (changes, status): (JSONObject, Int) in [
            (["kind": "lease"], 400), (["items": []], 422), (["storefront": "ATL"], 422), (["period": "P9M"], 422),
        ] {
            let good: JSONObject = [
                "bundleId": .string(Apple.bundleID), "kind": "subscription", "items": [["SKU": "a", "price": 1000]],
            ]
            let reply = try await shop.apple.control(.post, "/commerce/purchases", .object(good.changed(by: changes)))
            #expect(reply.status == status, "\(JSON.object(changes).text)")
        }
        let slip = try await shop.apple.control(.put, "/commerce", ["outcome": "perhaps"])
        #expect(slip.status == 400 && slip.text.contains("silentRefund"))
        await shop.stop()
    }
}

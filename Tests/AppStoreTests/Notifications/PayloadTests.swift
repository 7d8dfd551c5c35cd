import AppStore
import Support
import Testing
import Time

@Suite struct PayloadTests {
    private let now = Moment(milliseconds: 1_790_000_000_000)

    private func transaction(_ changes: KeyValuePairs<String, SampleValue> = [:]) throws -> TransactionPayload {
        try TransactionPayload(json: Sample.transaction(now).with(changes).bytes)
    }

    private func note(_ changes: KeyValuePairs<String, SampleValue> = [:]) throws -> NotificationPayload {
        try NotificationPayload(json: Sample.notification("CONSUMPTION_REQUEST", now).with(changes).bytes)
    }

    @Test func `all fields of a transaction are read`() throws {
        let payload = try transaction([
            "webOrderLineItemId": "7", "subscriptionGroupIdentifier": "g", "expiresDate": 1_790_000_000_001,
            "revocationDate": 1_790_000_000_002, "revocationReason": 1, "revocationType": "REFUND_PRORATED",
            "revocationPercentage": 20000, "isUpgraded": true, "offerType": 4, "offerIdentifier": "o",
            "offerDiscountType": "FREE_TRIAL", "offerPeriod": "P1M", "appTransactionId": "a",
            "billingPlanType": "MONTHLY", "previousOriginalTransactionId": "p",
            "commitmentInfo": [
                "billingPeriodNumber": 1, "totalBillingPeriods": 12, "commitmentPrice": 9_999_999_999,
                "commitmentExpiresDate": 1_790_000_000_003,
            ],
        ])
        #expect(payload.transactionId == "2000000900000001")
        #expect(payload.originalTransactionId == "2000000900000001")
        #expect(payload.previousOriginalTransactionId == "p")
        #expect(payload.webOrderLineItemId == "7")
        #expect(payload.bundleId == Sample.bundleID)
        #expect(payload.productId == "coins.100")
        #expect(payload.subscriptionGroupIdentifier == "g")
        #expect(payload.purchaseDate == now - .days(1))
        #expect(payload.originalPurchaseDate == now - .days(1))
        #expect(payload.expiresDate?.milliseconds == 1_790_000_000_001)
        #expect(payload.quantity == 1)
        #expect(payload.type?.known == .consumable)
        #expect(payload.appAccountToken == Sample.customer)
        #expect(payload.inAppOwnershipType?.known == .purchased)
        #expect(payload.signedDate == now)
        #expect(payload.revocationDate?.milliseconds == 1_790_000_000_002)
        #expect(payload.revocationReason?.known == .appIssue)
        #expect(payload.revocationType?.known == .refundProrated)
        #expect(payload.revocationPercentage == 20000)
        #expect(payload.isUpgraded == true)
        #expect(payload.offerType?.known == .winBack)
        #expect(payload.offerIdentifier == "o")
        #expect(payload.offerDiscountType == "FREE_TRIAL")
        #expect(payload.offerPeriod == "P1M")
        #expect(payload.environment == "Production")
        #expect(payload.storefront == "USA")
        #expect(payload.storefrontId == "143441")
        #expect(payload.transactionReason?.known == .purchase)
        #expect(payload.price == 9990)
        #expect(payload.currency == "USD")
        #expect(payload.appTransactionId == "a")
        #expect(payload.billingPlanType == "MONTHLY")
        #expect(payload.commitmentInfo?.commitmentPrice == 9_999_999_999)
        #expect(payload.commitmentInfo?.totalBillingPeriods == 12)
        #expect(payload.advancedCommerceInfo == nil)
    }

    @Test func `nothing is required`() throws {
        let payload = try TransactionPayload(json: Array("{}".utf8))
        #expect(payload.transactionId == nil && payload.price == nil && payload.type == nil)
        let note = try NotificationPayload(json: Array("{}".utf8))
        #expect(note.notificationType == nil && note.shapes.isEmpty && note.bundleId == nil)
        #expect(try RenewalPayload(json: Array("{}".utf8)).autoRenewStatus == nil)
    }

    @Test func `BL-011: unknown values and members stay`() throws {
        let payload = try note([
            "notificationType": "SOMETHING_NEW_2031", "subtype": "ODD",
            "data": ["foo": ["a": [1, [:]]], "bundleId": "com.example.alpha", "status": 9],
        ])
        #expect(payload.notificationType == "SOMETHING_NEW_2031")
        #expect(payload.type == nil)
        #expect(payload.subtype == "ODD")
        #expect(payload.data?.status?.raw == 9)
        #expect(payload.data?.status?.known == nil)
        #expect(String(decoding: payload.raw, as: UTF8.self).contains(#""foo":{"a":[1,{}]}"#))
        let odd = try transaction([
            "type": "Rental", "inAppOwnershipType": "LENT", "revocationType": "HALF_MOON", "revocationReason": 7,
            "offerType": 5, "transactionReason": "GIFT",
        ])
        #expect(odd.type?.raw == "Rental" && odd.type?.known == nil)
        #expect(odd.inAppOwnershipType?.raw == "LENT" && odd.inAppOwnershipType?.known == nil)
        #expect(odd.revocationType?.raw == "HALF_MOON" && odd.revocationType?.known == nil)
        #expect(odd.revocationReason?.raw == 7 && odd.offerType?.raw == 5)
        #expect(odd.transactionReason?.raw == "GIFT")
    }

    @Test(
        arguments: [
            (nil, nil), (.null, nil), ("", ""), ("user-123", "user-123"), (7, nil), ([], nil),
            ("3D0E6C1E-54B4-4A5F-8D2A-93A0F0B7C111", "3D0E6C1E-54B4-4A5F-8D2A-93A0F0B7C111"),
        ] as [(SampleValue?, String?)])
    func `BL-023: a customer's token may be absent, null, empty or any text`(token: SampleValue?, read: String?) throws
    {
        var sample = Sample.transaction(now)
        sample["appAccountToken"] = token
        let payload = try TransactionPayload(json: sample.bytes)
        #expect(payload.appAccountToken == read)
        #expect(payload.transactionId == "2000000900000001")
    }

    @Test func `BL-019: dates are milliseconds of 64 bits`() throws {
        let payload = try transaction(["purchaseDate": 1_781_524_800_123])
        #expect(payload.purchaseDate?.milliseconds == 1_781_524_800_123)
        #expect(payload.purchaseDate?.iso8601 == "2026-06-15T12:00:00.123Z")
    }

    @Test func `BL-048: a price beyond 32 bits is exact`() throws {
        #expect(try transaction(["price": 4_999_000_000, "currency": "VND"]).price == 4_999_000_000)
    }

    @Test func `BL-049: app ids have ten digits`() throws {
        let payload = try note(["data": ["appAppleId": 6_743_115_016]])
        #expect(payload.appAppleId == 6_743_115_016)
        #expect(payload.data?.appAppleId == 6_743_115_016)
    }

    @Test func `BL-027: the customer's reason may be missing, known or new`() throws {
        #expect(try note().data?.consumptionRequestReason == nil)
        let known = try note(["data": ["consumptionRequestReason": "UNINTENDED_PURCHASE"]])
        #expect(known.data?.consumptionRequestReason?.known == .unintendedPurchase)
        let new = try note(["data": ["consumptionRequestReason": "BORED"]])
        #expect(new.data?.consumptionRequestReason?.raw == "BORED")
        #expect(new.data?.consumptionRequestReason?.known == nil)
    }

    @Test func `BL-045: app, bundle and environment are found in each of the four shapes`() throws {
        let identity: SampleValue = ["appAppleId": 5, "bundleId": "b", "environment": "Sandbox"]
        for name in ["data", "summary", "appData"] {
            let payload = try NotificationPayload(json: SampleValue.object([.init(name: name, value: identity)]).bytes)
            #expect(payload.shapes.map(\.rawValue) == [name])
            #expect(payload.bundleId == "b" && payload.appAppleId == 5 && payload.environment == "Sandbox")
        }
        let summary = try NotificationPayload(
            json: (["summary": ["productId": "p", "requestIdentifier": "r", "succeededCount": 3, "failedCount": 1]]
                as SampleValue).bytes)
        #expect(summary.summary?.succeededCount == 3 && summary.summary?.failedCount == 1)
        #expect(summary.summary?.productId == "p" && summary.summary?.requestIdentifier == "r")
        let app = try NotificationPayload(json: (["appData": ["signedAppTransactionInfo": "x"]] as SampleValue).bytes)
        #expect(app.appData?.signedAppTransactionInfo == "x")
    }

    @Test(arguments: [("SANDBOX_9f", "Sandbox"), ("9f", "Production"), ("sandbox", "Production"), ("", nil)])
    func `BL-086: an external purchase token tells its environment by its prefix`(id: String, name: String?) throws {
        let payload = try NotificationPayload(
            json: (["externalPurchaseToken": ["externalPurchaseId": .string(id), "bundleId": "b"]] as SampleValue).bytes
        )
        #expect(payload.environment == name)
        #expect(payload.bundleId == "b")
    }

    @Test func `refunds of Advanced Commerce stand with their items`() throws {
        let payload = try transaction([
            "advancedCommerceInfo": [
                "requestReferenceId": "r", "taxRate": "0.19", "estimatedTax": 797,
                "items": [
                    [
                        "SKU": "S1", "price": 4990, "revocationDate": 1_790_000_000_000,
                        "refunds": [
                            [
                                "refundAmount": 4990, "refundDate": 1_790_000_000_001, "refundReason": "OTHER",
                                "refundType": "CUSTOM",
                            ]
                        ],
                    ], ["SKU": "S2", "price": 10],
                ],
            ]
        ])
        let info = try #require(payload.advancedCommerceInfo)
        #expect(info.requestReferenceId == "r" && info.taxRate == "0.19" && info.estimatedTax == 797)
        #expect(info.items.map(\.sku) == ["S1", "S2"])
        #expect(info.items[0].revocationDate == now)
        #expect(info.items[0].refunds.first?.refundAmount == 4990)
        #expect(info.items[0].refunds.first?.refundType?.known == .custom)
        #expect(info.items[1].revocationDate == nil && info.items[1].refunds.isEmpty)
    }

    @Test func `all fields of renewal info are read`() throws {
        let payload = try RenewalPayload(
            json: Sample.renewal(now).with([
                "expirationIntent": 2, "isInBillingRetryPeriod": true, "gracePeriodExpiresDate": 1_790_000_000_005,
                "priceIncreaseStatus": 1, "eligibleWinBackOfferIds": ["a", "b"], "appAccountToken": "t",
                "recentSubscriptionStartDate": 1_780_000_000_000,
            ]).bytes)
        #expect(payload.originalTransactionId == "2000000900000010")
        #expect(payload.autoRenewStatus == 1 && payload.expirationIntent == 2)
        #expect(payload.isInBillingRetryPeriod == true)
        #expect(payload.gracePeriodExpiresDate?.milliseconds == 1_790_000_000_005)
        #expect(payload.eligibleWinBackOfferIds == ["a", "b"])
        #expect(payload.renewalPrice == 9990 && payload.appAccountToken == "t")
    }
}

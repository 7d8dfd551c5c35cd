import Crypto
package import Time

/// Valid payloads, to be spoiled in one place.
package enum Sample {
    package static let bundleID = "com.example.alpha"
    package static let appleID: Int64 = 6_450_000_001
    package static let otherBundleID = "com.example.beta"
    package static let otherAppleID: Int64 = 6_450_000_002
    package static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"

    /// A consumable bought yesterday.
    package static func transaction(_ now: Moment) -> SampleValue {
        let bought = SampleValue.int((now - .days(1)).milliseconds)
        return [
            "transactionId": "2000000900000001", "originalTransactionId": "2000000900000001",
            "bundleId": .string(bundleID), "productId": "coins.100", "type": "Consumable", "quantity": 1,
            "inAppOwnershipType": "PURCHASED", "purchaseDate": bought, "originalPurchaseDate": bought,
            "signedDate": .int(now.milliseconds), "environment": "Production", "transactionReason": "PURCHASE",
            "storefront": "USA", "storefrontId": "143441", "price": 9990, "currency": "USD",
            "appAccountToken": .string(customer),
        ]
    }

    /// The second period of a monthly subscription.
    package static func subscription(_ now: Moment) -> SampleValue {
        transaction(now).with([
            "transactionId": "2000000900000012", "originalTransactionId": "2000000900000010",
            "productId": "pro.monthly", "type": "Auto-Renewable Subscription",
            "purchaseDate": .int((now - .days(10)).milliseconds), "expiresDate": .int((now + .days(20)).milliseconds),
        ])
    }

    package static func renewal(_ now: Moment) -> SampleValue {
        [
            "originalTransactionId": "2000000900000010", "productId": "pro.monthly",
            "autoRenewProductId": "pro.monthly", "autoRenewStatus": 1,
            "renewalDate": .int((now + .days(20)).milliseconds), "renewalPrice": 9990, "currency": "USD",
            "environment": "Production", "signedDate": .int(now.milliseconds),
        ]
    }

    /// A notification about an app, without a transaction.
    package static func notification(_ type: String, _ now: Moment, environment: String = "Production") -> SampleValue {
        var data: SampleValue = [
            "bundleId": .string(bundleID), "bundleVersion": "1", "environment": .string(environment),
        ]
        if environment == "Production" { data["appAppleId"] = .int(appleID) }
        return [
            "notificationType": .string(type), "notificationUUID": .string("\(Random.uuid())".lowercased()),
            "version": "2.0", "signedDate": .int(now.milliseconds), "data": data,
        ]
    }

    /// A notification with signed parts inside.
    package static func notification(
        _ type: String, transaction: SampleValue?, renewal: SampleValue? = nil, chain: SampleChain, at now: Moment
    ) throws -> SampleValue {
        let environment: String
        if case .string(let name)? = (transaction ?? renewal)?["environment"] {
            environment = name
        } else {
            environment = "Production"
        }
        var note = notification(type, now, environment: environment)
        if let transaction { note["data"]?["signedTransactionInfo"] = .string(try chain.jws(transaction)) }
        if let renewal { note["data"]?["signedRenewalInfo"] = .string(try chain.jws(renewal)) }
        return note
    }

    /// The body that Apple posts.
    package static func body(_ signedPayload: String) -> [UInt8] {
        let body: SampleValue = ["signedPayload": .string(signedPayload)]
        return body.bytes
    }
}

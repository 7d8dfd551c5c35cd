import Crypto
import Time

/// What outlives a start: apps, developers' keys (public halves) and purchases, as JSON.
///
/// What developers registered, customers bought and developers asked for is not forgotten by Apple, so that a demo
/// that is started again goes on where it stopped.
struct Memory {
    /// The newest purchases of each environment that are remembered.
    static let purchasesMax = 5000

    let works: Works

    var json: JSON {
        [
            "apps": .array(works.shelves.apps.map(\.json)),
            "keys": .array(
                works.keys.all.map { keyID, key in
                    [
                        "keyId": .string(keyID), "issuerId": .string(key.issuerID),
                        "publicKey": .string(Base64.encode(key.publicKey.x963)),
                    ]
                }),
            "purchases": .array(
                StoreEnvironment.allCases.flatMap { works.shelves.transactions(in: $0).suffix(Self.purchasesMax) }
                    .map(purchase)),
            "commerce": works.commerce.memory,
        ]
    }

    /// - Returns: requests that wait for a decision of the small Apple's.
    /// - Throws: `OrderFault` for what this type did not write; nothing is taken from it then.
    func recall(_ json: JSON) throws(OrderFault) -> [StoreTransaction] {
        var apps: [RegisteredApp] = []
        for value in json["apps"]?.array ?? [] { apps.append(try app(value)) }
        var purchases: [StoreTransaction] = []
        for value in json["purchases"]?.array ?? [] { purchases.append(try purchase(value)) }
        var keys: [(String, KnownKeys.Key)] = []
        for value in json["keys"]?.array ?? [] {
            guard let keyID = value["keyId"]?.string, let issuerID = value["issuerId"]?.string,
                let text = value["publicKey"]?.string, let key = try? PublicKeyText.read(text)
            else { throw OrderFault("a key cannot be read") }
            keys.append((keyID, KnownKeys.Key(issuerID: issuerID, publicKey: key)))
        }
        try works.commerce.recall(json["commerce"])
        for app in apps { works.shelves.put(app) }
        for (keyID, key) in keys { works.keys.put(key.publicKey, keyID: keyID, issuerID: key.issuerID) }
        for purchase in purchases { works.shelves.put(purchase) }
        return purchases.filter { $0.isDecided && $0.requestedAt != nil }
    }

    private func app(_ value: JSON) throws(OrderFault) -> RegisteredApp {
        guard let bundleID = value["bundleId"]?.string, let appAppleID = value["appAppleId"]?.int,
            let issuerID = value["issuerId"]?.string
        else { throw OrderFault("an app cannot be read") }
        var urls: [StoreEnvironment: String] = [:]
        for environment in StoreEnvironment.allCases {
            urls[environment] = value["notificationURLs"]?[environment.rawValue]?.string
        }
        var app = RegisteredApp(
            bundleID: bundleID, appAppleID: appAppleID, issuerID: issuerID, notificationURLs: urls,
            isReleased: value["released"]?.bool ?? true, isWithdrawn: value["withdrawn"]?.bool ?? false)
        for environment in StoreEnvironment.allCases {
            let version = value["notificationVersions"]?[environment.rawValue]?.int
            app.notificationVersions[environment] = version.map { Int(clamping: $0) }
        }
        return app
    }

    private func purchase(_ transaction: StoreTransaction) -> JSON {
        var members: JSONObject = [
            "environment": .string(transaction.environment.rawValue), "orderId": .string(transaction.orderID),
            "customer": .string(transaction.customer), "transaction": .object(transaction.payload),
            "familyCopies": .array(transaction.familyCopies.map(JSON.string)),
            "decides": .bool(transaction.isDecided),
        ]
        members["renewal"] = transaction.renewal.map(JSON.object)
        members["requestedAt"] = transaction.requestedAt.map { .int($0.milliseconds) }
        members["reason"] = .optional(transaction.requestReason)
        if let answer = transaction.answer {
            var told: JSONObject = ["delivered": .bool(answer.isDelivered)]
            told["consumptionPercentage"] = answer.consumptionPercentage.map { .int($0) }
            told["refundPreference"] = .optional(answer.preference?.rawValue)
            members["answer"] = .object(told)
        }
        return .object(members)
    }

    private func purchase(_ value: JSON) throws(OrderFault) -> StoreTransaction {
        guard let environment = value["environment"]?.string.flatMap(StoreEnvironment.init),
            let orderID = value["orderId"]?.string, let payload = value["transaction"]?.object
        else { throw OrderFault("a purchase cannot be read") }
        var transaction = StoreTransaction(
            payload: payload, renewal: value["renewal"]?.object, customer: value["customer"]?.string, orderID: orderID,
            environment: environment)
        transaction.familyCopies = value["familyCopies"]?.array?.compactMap(\.string) ?? []
        transaction.isDecided = value["decides"]?.bool ?? false
        transaction.requestedAt = value["requestedAt"]?.int.map { Moment(milliseconds: $0) }
        transaction.requestReason = value["reason"]?.string
        if let told = value["answer"] {
            transaction.answer = ConsumptionAnswer(
                isDelivered: told["delivered"]?.bool ?? true, consumptionPercentage: told["consumptionPercentage"]?.int,
                preference: told["refundPreference"]?.string.flatMap(ConsumptionAnswer.Preference.init))
        }
        return transaction
    }
}

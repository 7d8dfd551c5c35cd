import HTTP
import Testing
import Time

@testable import Simulator

/// Advanced Commerce in a test: an app with an address, purchases, and good bodies to spoil.
struct Shop {
    let apple: Apple
    let receiver: Receiver

    static let items = [
        CommerceSale.Item(sku: "base", price: 9990), CommerceSale.Item(sku: "audio", price: 2990),
        CommerceSale.Item(sku: "archive", price: 1990),
    ]

    init(seed: UInt64? = nil, change: (inout SmallApple.Settings) -> Void = { _ in }) async throws {
        apple = try await Apple(seed: seed) { settings in
            settings.pace.decision = 0...0
            settings.pace.patience = 0
            change(&settings)
        }
        receiver = try await Receiver()
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.notificationURLs = [.production: receiver.url, .sandbox: receiver.url]
        apple.apple.register(app)
        apple.apple.commerce.settings.countsSeconds = false
    }

    func subscription(
        _ environment: StoreEnvironment = .production, earlier: Int = 0, change: (inout CommerceSale) -> Void = { _ in }
    ) throws -> [StoreTransaction] {
        var sale = CommerceSale(Self.items, isSubscription: true)
        sale.earlierPeriods = earlier
        change(&sale)
        return try apple.apple.sell(sale, of: Apple.bundleID, in: environment)
    }

    func oneTime(_ environment: StoreEnvironment = .production, storefront: String = "USA") throws -> StoreTransaction {
        var sale = CommerceSale([CommerceSale.Item(sku: "course", price: 24_000)], isSubscription: false)
        sale.storefront = storefront
        return try need(try apple.apple.sell(sale, of: Apple.bundleID, in: environment).last)
    }

    static func item(_ sku: String, _ changes: JSONObject = [:]) -> JSON {
        let good: JSONObject = [
            "SKU": .string(sku), "refundReason": "UNSATISFIED_WITH_PURCHASE", "refundType": "FULL", "revoke": false,
        ]
        return .object(good.changed(by: changes))
    }

    static func body(_ kind: CommerceKind, items: [JSON] = [item("audio")], _ changes: JSONObject = [:]) -> JSON {
        var body: JSONObject = ["requestInfo": ["requestReferenceId": .string(Chance.anyUUID())]]
        switch kind {
        case .refund:
            body["items"] = .array(items)
            body["refundRiskingPreference"] = false
        case .revoke:
            body["refundReason"] = "OTHER"
            body["refundType"] = "FULL"
            body["refundRiskingPreference"] = false
        case .cancel: break
        }
        return .object(body.changed(by: changes))
    }

    static func path(_ kind: CommerceKind, _ id: String) -> String {
        String(kind.pattern.prefix { $0 != "{" }) + id
    }

    func call(
        _ kind: CommerceKind, _ id: String, _ body: JSON, _ environment: StoreEnvironment = .production,
        authorization: String? = nil
    ) async throws -> Apple.Reply {
        try await apple.call(.post, Self.path(kind, id), environment, body: body, authorization: authorization)
    }

    /// What the posted notifications say, with their transactions.
    func told(_ count: Int) async throws -> [(type: String, transaction: JSON?, data: JSON?)] {
        try await receiver.wait(for: count).map { body in
            let payload = try apple.verified(try need(body["signedPayload"]?.string))
            let inner = try payload["data"]?["signedTransactionInfo"]?.string.map { try apple.verified($0) }
            return (payload["notificationType"]?.string ?? "", inner, payload["data"])
        }
    }

    func stop() async { await apple.apple.stop() }
}

import Time

/// Makes purchases: complete transaction payloads in Apple's shape.
///
/// Source: JWSTransactionDecodedPayload, JWSRenewalInfoDecodedPayload and the Advanced Commerce objects
/// (apple sheets 3.1, 3.2, 3.5).
struct Till {
    /// What a purchase shall be like; what is left nil is chosen.
    struct Wish {
        var product: Product?
        var storefront: Storefront?
        var hasToken = true
        var isFamilyShared = false
        var quantity: Int64 = 1
        var age: Duration = .seconds(86_400)
    }

    private static let day: Int64 = 86_400_000

    static func purchase(
        _ wish: Wish, of app: RegisteredApp, in environment: StoreEnvironment, now: Moment, chance: inout Chance.Stream
    ) -> StoreTransaction {
        let product = wish.product ?? chance.pick(Product.all)
        let storefront = wish.storefront ?? chance.pick(Storefront.all)
        let bought = now.milliseconds - wish.age.wholeMilliseconds
        let price = (product.prices[storefront.currency] ?? product.prices["USD"] ?? 990) * wish.quantity
        let isSubscription = product.type == Product.autoRenewable
        let id = environment == .production ? "41000" + chance.digits(10) : "20000009" + chance.digits(8)
        // A subscription that has run for a while was first bought under another id.
        let periods = isSubscription ? Int64.random(in: 0...5, using: &chance) : 0
        let originalID = periods == 0 ? id : String(id.prefix(5)) + chance.digits(id.count - 5)
        let firstBought = bought - periods * product.periodDays * day

        var payload: JSONObject = ["transactionId": .string(id), "originalTransactionId": .string(originalID)]
        if isSubscription { payload["webOrderLineItemId"] = .string(String(id.prefix(5)) + chance.digits(10)) }
        payload["bundleId"] = .string(app.bundleID)
        payload["productId"] = .string(app.bundleID + "." + product.suffix)
        if isSubscription {
            payload["subscriptionGroupIdentifier"] = .string(product.sku == nil ? "21400001" : "21400002")
        }
        payload["purchaseDate"] = .int(bought)
        payload["originalPurchaseDate"] = .int(firstBought)
        if isSubscription { payload["expiresDate"] = .int(bought + product.periodDays * day) }
        payload["quantity"] = .int(wish.quantity)
        payload["type"] = .string(product.type)
        // Absent on family-shared transactions, by one report (apple sheet 3.1, unconfirmed).
        let token: JSON? = wish.hasToken && !wish.isFamilyShared ? .string(chance.uuid()) : nil
        payload["appAccountToken"] = token
        payload["inAppOwnershipType"] = wish.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"
        payload["environment"] = .string(environment.rawValue)
        payload["transactionReason"] = periods == 0 ? "PURCHASE" : "RENEWAL"
        payload["storefront"] = .string(storefront.country)
        payload["storefrontId"] = .string(storefront.id)
        payload["price"] = .int(price)
        payload["currency"] = .string(storefront.currency)
        payload["appTransactionId"] = .string("70" + chance.digits(16))
        if let sku = product.sku {
            payload["advancedCommerceInfo"] = .object(
                advancedCommerce(sku: sku, price: price, storefront: storefront, product: product, chance: &chance))
        }
        var renewal: JSONObject?
        if isSubscription {
            var info: JSONObject = [
                "originalTransactionId": .string(originalID), "productId": payload["productId"] ?? "",
                "autoRenewProductId": payload["productId"] ?? "", "autoRenewStatus": 1,
                "renewalDate": .int(bought + product.periodDays * day), "renewalPrice": .int(price),
                "currency": .string(storefront.currency), "recentSubscriptionStartDate": .int(firstBought),
            ]
            info["appAccountToken"] = token
            info["appTransactionId"] = payload["appTransactionId"]
            info["environment"] = .string(environment.rawValue)
            renewal = info
        }
        return StoreTransaction(
            payload: payload, renewal: renewal, orderID: "M" + String(chance.digits(10)), environment: environment)
    }

    private static func advancedCommerce(
        sku: String, price: Int64, storefront: Storefront, product: Product, chance: inout Chance.Stream
    ) -> JSONObject {
        let taxExclusive = price * 1000 / (1000 + storefront.taxThousandths)
        var info: JSONObject = [
            "requestReferenceId": .string(chance.uuid()), "taxCode": "S021-06-1",
            "taxRate": .string(storefront.taxRate), "estimatedTax": .int(price - taxExclusive),
            "taxExclusivePrice": .int(taxExclusive),
            "items": [
                ["SKU": .string(sku), "displayName": "Lessons", "description": "A course of ten", "price": .int(price)]
            ],
        ]
        if product.type == Product.autoRenewable {
            info["period"] = "P1M"
            info["descriptors"] = ["displayName": "Letters", "description": "A letter each week"]
        }
        return info
    }
}

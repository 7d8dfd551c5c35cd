import Time

/// Makes Advanced Commerce purchases: a subscription with its add-ons, or something bought once.
///
/// Source: AdvancedCommerceTransactionInfo, AdvancedCommerceRenewalInfo (apple sheets 3.1, 3.2, 3.5).
struct CommerceTill {
    /// Beside the storefronts where ordinary customers buy.
    private static let storefronts =
        Storefront.all + [
            Storefront(country: "CAN", id: "143455", currency: "CAD", taxRate: "0.13", taxThousandths: 130),
            Storefront(country: "KOR", id: "143466", currency: "KRW", taxRate: "0.10", taxThousandths: 100),
            Storefront(country: "CHE", id: "143459", currency: "CHF", taxRate: "0.081", taxThousandths: 81),
        ]
    private static let day: Int64 = 86_400_000

    let app: RegisteredApp
    let environment: StoreEnvironment
    let now: Moment

    /// All transactions of the purchase, the newest last. They belong to one customer.
    func sell(_ sale: CommerceSale, chance: inout Chance.Stream) throws(OrderFault) -> [StoreTransaction] {
        guard let storefront = Self.storefronts.first(where: { $0.country == sale.storefront }) else {
            throw OrderFault(
                "no storefront \(sale.storefront); there are "
                    + Self.storefronts.map(\.country).joined(separator: ", "))
        }
        guard let days = CommerceSale.periodDays[sale.period] else { throw OrderFault("no period \(sale.period)") }
        guard !sale.items.isEmpty, Set(sale.items.map(\.sku)).count == sale.items.count else {
            throw OrderFault("a purchase has one item at least, and each SKU once")
        }
        let count = sale.isSubscription ? max(0, sale.earlierPeriods) + 1 : 1
        let newest = now.milliseconds - sale.age.wholeMilliseconds
        var ids = (0..<count).map { _ in id(&chance) }
        if let wanted = sale.transactionID { ids[count - 1] = wanted }
        let token = sale.appAccountToken ?? (sale.isFamilyShared ? "" : chance.uuid())
        let appTransactionID = "70" + chance.digits(16)
        let order = "M" + chance.digits(10)
        var made: [StoreTransaction] = []
        for place in 0..<count {
            let bought = newest - Int64(count - 1 - place) * days * Self.day
            var payload: JSONObject = [
                "transactionId": .string(ids[place]), "originalTransactionId": .string(ids[0]),
                "bundleId": .string(app.bundleID),
                "productId": .string(
                    app.bundleID + (sale.isSubscription ? ".generic.subscription" : ".generic.consumable")),
                "purchaseDate": .int(bought),
                "originalPurchaseDate": .int(newest - Int64(count - 1) * days * Self.day), "quantity": 1,
                "type": .string(sale.isSubscription ? Product.autoRenewable : "Consumable"),
                "inAppOwnershipType": sale.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED",
                "environment": .string(environment.rawValue),
                "transactionReason": place == 0 ? "PURCHASE" : "RENEWAL", "storefront": .string(storefront.country),
                "storefrontId": .string(storefront.id), "price": .int(sale.items.reduce(0) { $0 + $1.price }),
                "currency": .string(storefront.currency), "appTransactionId": .string(appTransactionID),
            ]
            if !token.isEmpty { payload["appAccountToken"] = .string(token) }
            if sale.isSubscription {
                payload["webOrderLineItemId"] = .string(String(ids[place].prefix(5)) + chance.digits(10))
                payload["subscriptionGroupIdentifier"] = "21400002"
                payload["expiresDate"] = .int(bought + days * Self.day)
            }
            payload["advancedCommerceInfo"] = .object(info(sale, storefront, reference: chance.uuid()))
            let renewal = sale.isSubscription ? self.renewal(sale, of: payload, ends: newest + days * Self.day) : nil
            made.append(
                StoreTransaction(
                    payload: payload, renewal: renewal, customer: ids[0], orderID: order, environment: environment))
        }
        return made
    }

    private func id(_ chance: inout Chance.Stream) -> String {
        environment == .production ? "41000" + chance.digits(10) : "20000009" + chance.digits(8)
    }

    private func info(_ sale: CommerceSale, _ storefront: Storefront, reference: String) -> JSONObject {
        let price = sale.items.reduce(0) { $0 + $1.price }
        let taxExclusive = price * 1000 / (1000 + storefront.taxThousandths)
        var info: JSONObject = [
            "requestReferenceId": .string(reference), "taxCode": "S021-06-1", "taxRate": .string(storefront.taxRate),
            "estimatedTax": .int(price - taxExclusive), "taxExclusivePrice": .int(taxExclusive),
            "items": .array(sale.items.map(item)),
        ]
        if sale.isSubscription {
            info["period"] = .string(sale.period)
            info["descriptors"] = descriptors(sale)
        }
        return info
    }

    private func item(_ item: CommerceSale.Item) -> JSON {
        [
            "SKU": .string(item.sku), "displayName": .string(item.displayName),
            "description": .string(item.description), "price": .int(item.price),
        ]
    }

    private func descriptors(_ sale: CommerceSale) -> JSON {
        ["displayName": .string(sale.items[0].displayName), "description": .string(sale.items[0].description)]
    }

    private func renewal(_ sale: CommerceSale, of payload: JSONObject, ends: Int64) -> JSONObject {
        var info: JSONObject = [
            "originalTransactionId": payload["originalTransactionId"] ?? "", "productId": payload["productId"] ?? "",
            "autoRenewProductId": payload["productId"] ?? "", "autoRenewStatus": 1, "renewalDate": .int(ends),
            "renewalPrice": payload["price"] ?? 0, "currency": payload["currency"] ?? "",
            "recentSubscriptionStartDate": payload["originalPurchaseDate"] ?? 0,
        ]
        info["appAccountToken"] = payload["appAccountToken"]
        info["appTransactionId"] = payload["appTransactionId"]
        info["environment"] = .string(environment.rawValue)
        var commerce: JSONObject = [:]
        commerce["consistencyToken"] = .optional(sale.consistencyToken)
        commerce["descriptors"] = descriptors(sale)
        commerce["items"] = .array(sale.items.map(item))
        commerce["period"] = .string(sale.period)
        commerce["requestReferenceId"] = payload["advancedCommerceInfo"]?["requestReferenceId"]
        commerce["taxCode"] = "S021-06-1"
        info["advancedCommerceInfo"] = .object(commerce)
        return info
    }
}

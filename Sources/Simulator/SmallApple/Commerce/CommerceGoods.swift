import Time

/// The items of one Advanced Commerce purchase: what they cost, what of it was given back, what has ended.
///
/// Source: AdvancedCommerceTransactionInfo and its items (apple sheet 3.5).
struct CommerceGoods {
    struct Item {
        let sku: String
        /// Milliunits.
        let price: Int64
        let refunded: Int64
        let isRevoked: Bool

        /// What can still be given back, in milliunits.
        var left: Int64 { max(0, price - refunded) }
    }

    /// One refund of one item, decided.
    struct Refund {
        let sku: String
        let amount: Int64
        let reason: String
        let type: String
        let revokes: Bool
    }

    let payload: JSONObject
    let items: [Item]

    /// nil for a purchase that was not made with Advanced Commerce.
    init?(_ payload: JSONObject) {
        guard let info = payload["advancedCommerceInfo"]?.object else { return nil }
        self.payload = payload
        items = (info["items"]?.array ?? []).map { item in
            Item(
                sku: item["SKU"]?.string ?? "", price: item["price"]?.int ?? 0,
                refunded: (item["refunds"]?.array ?? []).reduce(0) { $0 + ($1["refundAmount"]?.int ?? 0) },
                isRevoked: item["revocationDate"] != nil)
        }
    }

    func item(_ sku: String) -> Item? { items.first { $0.sku == sku } }

    /// What a request comes to if it is granted at a moment; a revocation takes every item that is left.
    func refunds(for asked: CommerceAsked, at now: Moment) -> [Refund] {
        guard asked.kind == .revoke else {
            return asked.items.compactMap { wanted in
                item(wanted.sku).map { item in
                    Refund(
                        sku: item.sku, amount: amount(wanted.type, wanted.amount, of: item, at: now),
                        reason: wanted.reason, type: wanted.type, revokes: wanted.revokes)
                }
            }
        }
        return items.map { item in
            Refund(
                sku: item.sku, amount: amount(asked.type ?? "FULL", nil, of: item, at: now),
                reason: asked.reason ?? "OTHER", type: asked.type ?? "FULL", revokes: true)
        }
    }

    private func amount(_ type: String, _ custom: Int64?, of item: Item, at now: Moment) -> Int64 {
        switch type {
        case "CUSTOM": min(custom ?? 0, item.left)
        case "PRORATED": min(item.price * unusedThousandths(at: now) / 1000, item.left)
        default: item.left
        }
    }

    /// The unused share of the period; half of what has none, as the sandbox has it (apple sheet 5.8).
    private func unusedThousandths(at now: Moment) -> Int64 {
        guard let start = payload["purchaseDate"]?.int, let end = payload["expiresDate"]?.int, end > start else {
            return 500
        }
        return max(0, min(1000, (end - now.milliseconds) * 1000 / (end - start)))
    }

    /// The payload after refunds: they stand with their items, and the members of ordinary refunds stay empty
    /// (apple sheet 6.10). The whole transaction is revoked with its last item.
    func payload(after refunds: [Refund], at now: Moment) -> JSONObject {
        var copy = payload
        let changed = (payload["advancedCommerceInfo"]?["items"]?.array ?? []).map { value -> JSON in
            guard var item = value.object, let refund = refunds.first(where: { $0.sku == item["SKU"]?.string }) else {
                return value
            }
            if refund.amount > 0 {
                let entry: JSON = [
                    "refundAmount": .int(refund.amount), "refundDate": .int(now.milliseconds),
                    "refundReason": .string(refund.reason), "refundType": .string(refund.type),
                ]
                item["refunds"] = .array((item["refunds"]?.array ?? []) + [entry])
            }
            if refund.revokes, item["revocationDate"] == nil { item["revocationDate"] = .int(now.milliseconds) }
            return .object(item)
        }
        copy["advancedCommerceInfo"] = .object(
            (payload["advancedCommerceInfo"]?.object ?? [:]).changed(by: ["items": .array(changed)]))
        if copy["revocationDate"] == nil, changed.allSatisfy({ $0["revocationDate"] != nil }) {
            copy["revocationDate"] = .int(now.milliseconds)
            copy["revocationReason"] = .int(Decision.revocationReason(for: refunds.first?.reason))
        }
        return copy
    }
}

import Time

/// What a refund, its reversal and the end of Family Sharing do to a purchase.
///
/// Source: revocation field pages; Family Sharing (apple sheets 3.1, 3.3, 7.3, 7.4).
enum Revocation {
    /// The plain effect of a notification type, where nothing was decided beforehand.
    static func apply(type: String, to transaction: inout StoreTransaction, signedAt: Moment) {
        switch type {
        case "REFUND" where !transaction.isRevoked:
            refund(
                &transaction, type: "REFUND_FULL", percentage: 100_000, reason: 0, refundReason: "OTHER", at: signedAt)
        case "REFUND_REVERSED": reverse(&transaction)
        case "REVOKE" where !transaction.isRevoked: endSharing(&transaction, reason: 0, at: signedAt)
        default: break
        }
    }

    /// - Parameters:
    ///   - percentage: milliunits of the price that is given back, 0…100000.
    ///   - reason: 1 a problem in the app, 0 another.
    static func refund(
        _ transaction: inout StoreTransaction, type: String, percentage: Int64, reason: Int64, refundReason: String,
        at moment: Moment
    ) {
        transaction.payload["revocationDate"] = .int(moment.milliseconds)
        transaction.payload["revocationReason"] = .int(reason)
        guard let commerce = transaction.payload["advancedCommerceInfo"]?.object else {
            transaction.payload["revocationType"] = .string(type)
            transaction.payload["revocationPercentage"] = .int(percentage)
            return
        }
        // Advanced Commerce keeps its refunds with the items, and the two members above stay empty.
        let items = (commerce["items"]?.array ?? []).map { item -> JSON in
            guard var item = item.object else { return item }
            let amount = (item["price"]?.int ?? 0) * percentage / 100_000
            let refund: JSON = [
                "refundAmount": .int(amount), "refundDate": .int(moment.milliseconds),
                "refundReason": .string(refundReason), "refundType": type == "REFUND_FULL" ? "FULL" : "PRORATED",
            ]
            item["refunds"] = .array((item["refunds"]?.array ?? []) + [refund])
            item["revocationDate"] = .int(moment.milliseconds)
            return .object(item)
        }
        transaction.payload["advancedCommerceInfo"] = .object(commerce.changed(by: ["items": .array(items)]))
    }

    /// All traces vanish; the renewal date of a subscription does not move.
    static func reverse(_ transaction: inout StoreTransaction) {
        for name in ["revocationDate", "revocationReason", "revocationType", "revocationPercentage"] {
            transaction.payload[name] = nil
        }
        guard let commerce = transaction.payload["advancedCommerceInfo"]?.object else { return }
        let items = (commerce["items"]?.array ?? []).map { item -> JSON in
            guard var item = item.object else { return item }
            item["refunds"] = nil
            item["revocationDate"] = nil
            return .object(item)
        }
        transaction.payload["advancedCommerceInfo"] = .object(commerce.changed(by: ["items": .array(items)]))
    }

    /// A family member's own transaction ends.
    static func endSharing(_ transaction: inout StoreTransaction, reason: Int64, at moment: Moment) {
        transaction.payload["revocationDate"] = .int(moment.milliseconds)
        transaction.payload["revocationReason"] = .int(reason)
        transaction.payload["revocationType"] = "FAMILY_REVOKE"
    }
}

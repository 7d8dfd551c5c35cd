import Time

/// The body of a version 1 notification: plain JSON, unsigned, with the app's shared secret in it.
///
/// Source: responseBodyV1, notification_type (apple sheet 1.9). Deprecated since 2023; here only so that it can be
/// recognised.
enum OldNotification {
    /// nil for what version 1 has no word for: declined and reversed refunds, one-time charges, ….
    static func body(
        of order: NotificationOrder, app: RegisteredApp, transaction: StoreTransaction?, at moment: Moment
    ) -> JSON? {
        guard let transaction, let type = type(of: order.type, transaction) else { return nil }
        var receipt: JSONObject = [:]
        for (new, old) in [
            ("transactionId", "transaction_id"), ("originalTransactionId", "original_transaction_id"),
            ("productId", "product_id"),
        ] {
            receipt[old] = transaction.payload[new]
        }
        return [
            "notification_type": .string(type), "password": "0123456789abcdef0123456789abcdef",
            "environment": order.environment == .production ? "PROD" : "Sandbox", "bid": .string(app.bundleID),
            "bvrs": "412",
            "unified_receipt": [
                "status": 0, "environment": .string(order.environment.rawValue), "latest_receipt": "MII=",
                "latest_receipt_info": [.object(receipt)],
            ],
            "notification_date_ms": .string(String(moment.milliseconds)),
        ]
    }

    private static func type(of type: String, _ transaction: StoreTransaction) -> String? {
        switch type {
        case "CONSUMPTION_REQUEST":
            transaction.payload["type"]?.string == "Consumable" ? type : nil
        // Of an auto-renewable purchase a refund is a cancellation by Apple Support.
        case "REFUND": transaction.isAutoRenewable ? "CANCEL" : type
        case "REVOKE": type
        default: nil
        }
    }
}

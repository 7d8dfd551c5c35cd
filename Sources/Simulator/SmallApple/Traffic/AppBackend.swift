import HTTP
import Time

/// Plays the app's own server: tells the refund service what it knows of a customer and a purchase.
///
/// It speaks the service's documented HTTP API and knows nothing else of it.
package struct AppBackend: Sendable {
    /// Such as `http://127.0.0.1:8080`.
    package let url: String
    package let token: String

    package init(url: String, token: String) {
        self.url = url
        self.token = token
    }

    /// Most customers agreed when they bought, some refused, of some nothing is known; most use is measured.
    func report(_ transaction: StoreTransaction, now: Moment, client: HTTPClient, chance: inout Chance.Stream) async {
        let payload = transaction.payload
        let purchased = payload["purchaseDate"]?.int ?? now.milliseconds
        let consent = chance.pick([("yes", 80), ("no", 8), ("unknown", 12)])
        if consent != "unknown" {
            let subject =
                payload["appAccountToken"]?.string.map { "customers/\($0)" } ?? "transactions/\(transaction.id)"
            await put(
                "\(subject)/consent", of: transaction,
                [
                    "consented": .bool(consent == "yes"), "wordingVersion": "2026-01", "source": "purchase screen",
                    "recordedAt": .int(min(purchased, now.milliseconds - 1000)),
                ], client)
        }
        guard chance.happens(0.8) else { return }
        var usage: JSONObject = [:]
        let delivery = chance.pick([
            ("DELIVERED", 88), ("UNDELIVERED_SERVER_OUTAGE", 6), ("UNDELIVERED_QUALITY_ISSUE", 4),
            ("UNDELIVERED_WRONG_ITEM", 2),
        ])
        usage["deliveryStatus"] = .string(delivery)
        if delivery == "DELIVERED", !transaction.isAutoRenewable || chance.happens(0.7) {
            usage["consumptionPercentage"] = .int(
                chance.pick([
                    (0, 25), (chance.pick([8_500, 20_000, 33_333, 45_200, 67_932, 80_000]), 50), (100_000, 25),
                ]))
        }
        usage["sampleContentProvided"] = .bool(chance.happens(0.6))
        usage["observedAt"] = .int(now.milliseconds - 1000)
        await put("transactions/\(transaction.id)/usage", of: transaction, usage, client)
    }

    private func put(_ path: String, of transaction: StoreTransaction, _ body: JSONObject, _ client: HTTPClient) async {
        let request = ClientRequest(
            method: .put, url: "\(url)/api/v1/apps/\(transaction.bundleID)/\(path)",
            headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
            body: JSON.object(body).bytes, responseBytesMax: 64 * 1024, totalTimeout: .seconds(5))
        // What a real backend would do about a failure is its own affair; the request is made all the same.
        _ = try? await client.send(request)
    }
}

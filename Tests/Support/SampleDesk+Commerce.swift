import AppStore
import Crypto
import FoundationEssentials
import Postgres
package import Refunds
package import Tenants
package import Time

/// A purchase made with Advanced Commerce, valid as it stands: a running subscription with three items, 9.99 EUR in all.
package struct SamplePurchase: Sendable {
    package struct Item: Sendable {
        package var sku: String
        package var name: String?
        package var price: Int64

        package init(_ sku: String, _ name: String? = nil, price: Int64) {
            self.sku = sku
            self.name = name
            self.price = price
        }
    }

    package var transactionID = "2000000900000701"
    package var isSandbox = false
    package var isSubscription = true
    package var isAdvancedCommerce = true
    package var items = [
        Item("base", "Base plan", price: 4990), Item("addon.a", "Extra <voices>", price: 3000),
        Item("addon.b", price: 2000),
    ]
    package var currency = "EUR"
    package var storefront = "DEU"
    package var boughtAt = SampleDesk.signed - .days(3)
    package var expiresAt = SampleDesk.signed + .days(27)

    package init() {}

    /// An API token that is not there any more.
    fileprivate static let token = Random.uuid()

    private var price: Int64 { items.reduce(0) { $0 + $1.price } }

    fileprivate var fields: [UInt8] {
        let inside = items.map { item in
            let name = item.name.map { #","displayName":\#(JSONText.quoted($0))"# } ?? ""
            return #"{"SKU":\#(JSONText.quoted(item.sku)),"price":\#(item.price)\#(name)}"#
        }.joined(separator: ",")
        let type = isSubscription ? "Auto-Renewable Subscription" : "Consumable"
        let expires = isSubscription ? #","expiresDate":\#(expiresAt.milliseconds)"# : ""
        let commerce = isAdvancedCommerce ? #","advancedCommerceInfo":{"items":[\#(inside)]}"# : ""
        return Array(
            #"{"transactionId":"\#(transactionID)","productId":"generic","type":"\#(type)","price":\#(price),"currency":"\#(currency)","storefront":"\#(storefront)","inAppOwnershipType":"PURCHASED","purchaseDate":\#(boughtAt.milliseconds)\#(expires)\#(commerce)}"#
                .utf8)
    }

    fileprivate func statement(of app: App) -> SQL {
        """
        insert into refunds.transactions (tenant_id, app_id, environment, transaction_id, original_transaction_id,
          signed_at, product_id, type, purchased_at, price, currency, storefront, ownership, fields)
        values (\(app.tenant.rawValue), \(app.id.rawValue), \(isSandbox ? "Sandbox" : "Production"), \(transactionID),
          \(transactionID), \(boughtAt), 'generic', \(isSubscription ? "Auto-Renewable Subscription" : "Consumable"),
          \(boughtAt), \(price), \(currency), \(storefront), 'PURCHASED', \(fields))
        """
    }

    /// A refund of one item in full, in Production or Sandbox as the purchase is.
    package func refund(of sku: String = "addon.a") -> CommerceIntention {
        CommerceIntention(
            kind: .refund, environment: isSandbox ? .sandbox : .production, transactionID: transactionID,
            items: [
                CommerceItem(
                    sku: sku, refundReason: .unsatisfiedWithPurchase, refundType: .full, revoke: true)
            ], refundRiskingPreference: false, note: "the customer wrote to us")
    }
}

extension SampleDesk {
    /// Writes a purchase as Apple's notification of it would leave it.
    package func add(_ purchase: SamplePurchase, to app: App) async throws {
        try await transaction(for: app) { tx in try await tx.execute(purchase.statement(of: app)) }
    }

    /// A purchase and a request about it, asked by a server of the tenant's.
    @discardableResult
    package func addRequest(
        of purchase: SamplePurchase = SamplePurchase(), to app: App, key: String = "sample"
    ) async throws -> CommerceRequest {
        try await add(purchase, to: app)
        return try await commerce().ask(
            purchase.refund(), app: app, by: .token(SamplePurchase.token), idempotencyKey: key
        ).request
    }
}

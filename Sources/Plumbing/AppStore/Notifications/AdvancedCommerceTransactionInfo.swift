package import Time

/// What a transaction says about an Advanced Commerce purchase: refunds stand with each item here,
/// not in the transaction's own revocation members.
/// Source: App Store Server API, advancedCommerceTransactionInfo.
package struct AdvancedCommerceTransactionInfo: Sendable {
    let json: JSONValue

    package var displayName: String? { json["descriptors"]?["displayName"]?.string }
    package var description: String? { json["descriptors"]?["description"]?.string }
    /// Thousandths of the currency's unit.
    package var estimatedTax: Int64? { json["estimatedTax"]?.int }
    package var taxExclusivePrice: Int64? { json["taxExclusivePrice"]?.int }
    /// Decimal text.
    package var taxRate: String? { json["taxRate"]?.string }
    package var taxCode: String? { json["taxCode"]?.string }
    package var period: String? { json["period"]?.string }
    package var requestReferenceId: String? { json["requestReferenceId"]?.string }
    package var items: [Item] { (json["items"]?.elements ?? []).map(Item.init) }

    package struct Item: Sendable {
        let json: JSONValue

        package var sku: String? { json["SKU"]?.string }
        package var displayName: String? { json["displayName"]?.string }
        package var description: String? { json["description"]?.string }
        /// Thousandths of the currency's unit.
        package var price: Int64? { json["price"]?.int }
        package var offerPeriod: String? { json["offer"]?["period"]?.string }
        package var offerPeriodCount: Int32? { json["offer"]?["periodCount"]?.int32 }
        package var offerPrice: Int64? { json["offer"]?["price"]?.int }
        package var offerReason: String? { json["offer"]?["reason"]?.string }
        package var refunds: [Refund] { (json["refunds"]?.elements ?? []).map(Refund.init) }
        /// This item alone lost its entitlement.
        package var revocationDate: Moment? { json["revocationDate"]?.moment }
    }

    package struct Refund: Sendable {
        let json: JSONValue

        /// Thousandths of the currency's unit.
        package var refundAmount: Int64? { json["refundAmount"]?.int }
        package var refundDate: Moment? { json["refundDate"]?.moment }
        package var refundReason: Known<AdvancedCommerceRefundReason>? { json["refundReason"]?.string.map(Known.init) }
        package var refundType: Known<AdvancedCommerceRefundType>? { json["refundType"]?.string.map(Known.init) }
    }
}

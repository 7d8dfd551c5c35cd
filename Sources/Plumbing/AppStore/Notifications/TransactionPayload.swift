package import Time

/// A decoded `signedTransactionInfo` (`JWSTransactionDecodedPayload`).
///
/// Everything is optional and read where asked for; members this program does not know stay in `raw`.
/// Source: App Store Server API 1.22, JWSTransactionDecodedPayload.
package struct TransactionPayload: Sendable {
    let json: JSONValue

    /// - Throws: `JSONError` for a text that is not strict JSON in UTF-8.
    package init(json bytes: [UInt8]) throws(JSONError) { json = try JSONDocument(bytes).root }

    init(_ document: JSONDocument) { json = document.root }

    /// The JSON text, to the byte.
    package var raw: [UInt8] { json.document.bytes }

    package var transactionId: String? { json["transactionId"]?.string }
    package var originalTransactionId: String? { json["originalTransactionId"]?.string }
    /// After a migration to Advanced Commerce.
    package var previousOriginalTransactionId: String? { json["previousOriginalTransactionId"]?.string }
    package var webOrderLineItemId: String? { json["webOrderLineItemId"]?.string }
    /// Missing in some very old records.
    package var bundleId: String? { json["bundleId"]?.string }
    package var productId: String? { json["productId"]?.string }
    package var subscriptionGroupIdentifier: String? { json["subscriptionGroupIdentifier"]?.string }
    package var purchaseDate: Moment? { json["purchaseDate"]?.moment }
    package var originalPurchaseDate: Moment? { json["originalPurchaseDate"]?.moment }
    package var expiresDate: Moment? { json["expiresDate"]?.moment }
    package var quantity: Int32? { json["quantity"]?.int32 }
    package var type: Known<ProductType>? { json["type"]?.string.map(Known.init) }
    /// The app's own word for its customer, as written: often but not always a UUID, sometimes empty.
    package var appAccountToken: String? { json["appAccountToken"]?.string }
    package var inAppOwnershipType: Known<OwnershipType>? { json["inAppOwnershipType"]?.string.map(Known.init) }
    package var signedDate: Moment? { json["signedDate"]?.moment }
    /// When Apple refunded it or took it out of Family Sharing. Goes away when a refund is reversed.
    package var revocationDate: Moment? { json["revocationDate"]?.moment }
    package var revocationReason: Known<RevocationReason>? { json["revocationReason"]?.int32.map(Known.init) }
    package var revocationType: Known<RevocationType>? { json["revocationType"]?.string.map(Known.init) }
    /// 0…100000: thousandths of a per cent of the price.
    package var revocationPercentage: Int64? { json["revocationPercentage"]?.int }
    package var isUpgraded: Bool? { json["isUpgraded"]?.bool }
    package var offerType: Known<OfferType>? { json["offerType"]?.int32.map(Known.init) }
    package var offerIdentifier: String? { json["offerIdentifier"]?.string }
    package var offerDiscountType: String? { json["offerDiscountType"]?.string }
    package var offerPeriod: String? { json["offerPeriod"]?.string }
    /// As written: `Production`, `Sandbox`, or a test environment that is never accepted.
    package var environment: String? { json["environment"]?.string }
    package var storefront: String? { json["storefront"]?.string }
    package var storefrontId: String? { json["storefrontId"]?.string }
    package var transactionReason: Known<TransactionReason>? { json["transactionReason"]?.string.map(Known.init) }
    /// Thousandths of the currency's unit, for the whole transaction.
    package var price: Int64? { json["price"]?.int }
    package var currency: String? { json["currency"]?.string }
    package var appTransactionId: String? { json["appTransactionId"]?.string }
    package var billingPlanType: String? { json["billingPlanType"]?.string }
    package var commitmentInfo: CommitmentInfo? {
        json["commitmentInfo"].flatMap { $0.isObject ? CommitmentInfo(json: $0) : nil }
    }
    /// Present for purchases through Advanced Commerce only.
    package var advancedCommerceInfo: AdvancedCommerceTransactionInfo? {
        json["advancedCommerceInfo"].flatMap { $0.isObject ? AdvancedCommerceTransactionInfo(json: $0) : nil }
    }

    package struct CommitmentInfo: Sendable {
        let json: JSONValue
        package var billingPeriodNumber: Int32? { json["billingPeriodNumber"]?.int32 }
        package var totalBillingPeriods: Int32? { json["totalBillingPeriods"]?.int32 }
        package var commitmentPrice: Int64? { json["commitmentPrice"]?.int }
        package var commitmentExpiresDate: Moment? { json["commitmentExpiresDate"]?.moment }
    }
}

package import Time

/// A decoded `signedRenewalInfo` (`JWSRenewalInfoDecodedPayload`): no bundle id, no price paid.
///
/// Everything is optional and read where asked for; members this program does not know stay in `raw`.
/// Source: App Store Server API 1.22, JWSRenewalInfoDecodedPayload.
package struct RenewalPayload: Sendable {
    let json: JSONValue

    /// - Throws: `JSONError` for a text that is not strict JSON in UTF-8.
    package init(json bytes: [UInt8]) throws(JSONError) { json = try JSONDocument(bytes).root }

    init(_ document: JSONDocument) { json = document.root }

    /// The JSON text, to the byte.
    package var raw: [UInt8] { json.document.bytes }

    /// The link to the subscription's transactions.
    package var originalTransactionId: String? { json["originalTransactionId"]?.string }
    package var productId: String? { json["productId"]?.string }
    package var autoRenewProductId: String? { json["autoRenewProductId"]?.string }
    /// 0 off, 1 on.
    package var autoRenewStatus: Int32? { json["autoRenewStatus"]?.int32 }
    package var renewalDate: Moment? { json["renewalDate"]?.moment }
    /// Thousandths of the currency's unit, for the next period.
    package var renewalPrice: Int64? { json["renewalPrice"]?.int }
    package var currency: String? { json["currency"]?.string }
    /// 1 cancelled, 2 billing error, 3 no consent to a price increase, 4 product not available, 5 other.
    package var expirationIntent: Int32? { json["expirationIntent"]?.int32 }
    package var isInBillingRetryPeriod: Bool? { json["isInBillingRetryPeriod"]?.bool }
    package var gracePeriodExpiresDate: Moment? { json["gracePeriodExpiresDate"]?.moment }
    /// 0 no answer yet, 1 consented or notified.
    package var priceIncreaseStatus: Int32? { json["priceIncreaseStatus"]?.int32 }
    package var offerType: Known<OfferType>? { json["offerType"]?.int32.map(Known.init) }
    package var offerIdentifier: String? { json["offerIdentifier"]?.string }
    package var offerDiscountType: String? { json["offerDiscountType"]?.string }
    package var offerPeriod: String? { json["offerPeriod"]?.string }
    package var eligibleWinBackOfferIds: [String]? {
        json["eligibleWinBackOfferIds"]?.elements.map { $0.compactMap(\.string) }
    }
    package var recentSubscriptionStartDate: Moment? { json["recentSubscriptionStartDate"]?.moment }
    /// The token of the next renewal.
    package var appAccountToken: String? { json["appAccountToken"]?.string }
    package var appTransactionId: String? { json["appTransactionId"]?.string }
    package var environment: String? { json["environment"]?.string }
    package var signedDate: Moment? { json["signedDate"]?.moment }
    package var renewalBillingPlanType: String? { json["renewalBillingPlanType"]?.string }
    package var isAdvancedCommerce: Bool { json["advancedCommerceInfo"]?.isObject ?? false }
}

package import FoundationEssentials

/// The bodies of the three calls, and of their answers. Equal requests are equal bytes, in every release.
///
/// Source: RequestRefundRequest, SubscriptionRevokeRequest, SubscriptionCancelRequest (read 2026-08).
package enum AdvancedCommerceBody {
    package struct Item: Sendable, Hashable {
        package let sku: String
        package let refundReason: String
        package let refundType: String
        /// Milliunits; with CUSTOM only.
        package let refundAmount: Int32?
        package let revoke: Bool

        package init(sku: String, refundReason: String, refundType: String, refundAmount: Int32?, revoke: Bool) {
            self.sku = sku
            self.refundReason = refundReason
            self.refundType = refundType
            self.refundAmount = refundAmount
            self.revoke = revoke
        }
    }

    package static func refund(
        reference: UUID, items: [Item], refundRiskingPreference: Bool, currency: String?, storefront: String?
    ) -> [UInt8] {
        let items = items.map { item in
            object([
                ("SKU", quoted(item.sku)), ("refundReason", quoted(item.refundReason)),
                ("refundType", quoted(item.refundType)), ("refundAmount", item.refundAmount.map { "\($0)" }),
                ("revoke", "\(item.revoke)"),
            ])
        }
        return Array(
            object([
                ("requestInfo", info(reference)), ("currency", currency.map(quoted)),
                ("storefront", storefront.map(quoted)), ("refundRiskingPreference", "\(refundRiskingPreference)"),
                ("items", "[\(items.joined(separator: ","))]"),
            ]).utf8)
    }

    package static func revoke(
        reference: UUID, refundReason: String, refundType: String, refundRiskingPreference: Bool, storefront: String?
    ) -> [UInt8] {
        Array(
            object([
                ("requestInfo", info(reference)), ("refundReason", quoted(refundReason)),
                ("refundType", quoted(refundType)), ("refundRiskingPreference", "\(refundRiskingPreference)"),
                ("storefront", storefront.map(quoted)),
            ]).utf8)
    }

    package static func cancel(reference: UUID, storefront: String?) -> [UInt8] {
        Array(object([("requestInfo", info(reference)), ("storefront", storefront.map(quoted))]).utf8)
    }

    private static func info(_ reference: UUID) -> String {
        object([("requestReferenceId", quoted(reference.uuidString.lowercased()))])
    }

    private static func quoted(_ text: String) -> String { JSONText.quoted(text) }

    private static func object(_ members: [(String, String?)]) -> String {
        let written = members.compactMap { name, value in value.map { "\(quoted(name)):\($0)" } }
        return "{\(written.joined(separator: ","))}"
    }

    /// What Apple answers with 200; members that are no texts are as absent as missing ones.
    struct Answer {
        let signedTransactionInfo: String?
        let signedRenewalInfo: String?

        init?(_ body: [UInt8]) {
            guard let root = try? JSONDocument(body).root, root.isObject else { return nil }
            signedTransactionInfo = root["signedTransactionInfo"]?.string
            signedRenewalInfo = root["signedRenewalInfo"]?.string
        }
    }
}

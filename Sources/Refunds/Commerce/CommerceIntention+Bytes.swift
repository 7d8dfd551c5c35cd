import AppStore
import Crypto
import FoundationEssentials
import Tenants

extension CommerceIntention {
    /// The body that is sent for a request, to the byte.
    func body(reference: UUID) -> [UInt8] {
        switch kind {
        case .refund:
            AdvancedCommerceBody.refund(
                reference: reference,
                items: items.map { item in
                    AdvancedCommerceBody.Item(
                        sku: item.sku, refundReason: item.refundReason.rawValue,
                        refundType: item.refundType.rawValue,
                        refundAmount: item.refundAmount.map { Int32(clamping: $0) }, revoke: item.revoke)
                }, refundRiskingPreference: refundRiskingPreference ?? true, currency: currency,
                storefront: storefront)
        case .revoke:
            AdvancedCommerceBody.revoke(
                reference: reference, refundReason: (refundReason ?? .other).rawValue,
                refundType: (refundType ?? .full).rawValue,
                refundRiskingPreference: refundRiskingPreference ?? true, storefront: storefront)
        case .cancel: AdvancedCommerceBody.cancel(reference: reference, storefront: storefront)
        }
    }

    /// What was asked, in a fixed form: the same intention gives the same digest in every release.
    var digest: [UInt8] {
        var fields = [
            "1", kind.rawValue, environment.rawValue, transactionID,
            refundReason?.rawValue ?? "-", refundType?.rawValue ?? "-",
            refundRiskingPreference.map { "\($0)" } ?? "-", storefront ?? "-",
            currency ?? "-", note ?? "",
        ]
        for item in items {
            fields += [
                item.sku, item.refundReason.rawValue, item.refundType.rawValue,
                item.refundAmount.map(String.init) ?? "-", "\(item.revoke)",
            ]
        }
        return Digest.sha256(Array(fields.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }
}

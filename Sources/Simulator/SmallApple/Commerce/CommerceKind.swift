/// The three calls of the Advanced Commerce API that give money back or end a subscription.
///
/// Source: Advanced Commerce API, endpoint pages (apple sheet 6.3).
package enum CommerceKind: String, Sendable, Hashable, CaseIterable {
    case refund, revoke, cancel

    /// The path below the environment's prefix.
    var pattern: String {
        switch self {
        case .refund: "/advancedCommerce/v1/transaction/requestRefund/{transactionId}"
        case .revoke: "/advancedCommerce/v1/subscription/revoke/{transactionId}"
        case .cancel: "/advancedCommerce/v1/subscription/cancel/{transactionId}"
        }
    }

    /// The members that a body may have.
    var members: Set<String> {
        switch self {
        case .refund: ["requestInfo", "items", "refundRiskingPreference", "currency", "storefront"]
        case .revoke: ["requestInfo", "refundReason", "refundType", "refundRiskingPreference", "storefront"]
        case .cancel: ["requestInfo", "storefront"]
        }
    }
}

package import Time

package import struct FoundationEssentials.UUID

/// Something that Apple signed about a transaction. Facts are only ever added.
///
/// Facts are ordered by `signedDate`, then rank, then id: by what Apple says about time, never by
/// the order of arrival. Equal dates are ordered stably, not meaningfully.
package struct CaseFact: Sendable, Hashable, Comparable {
    package enum Kind: String, Sendable, CaseIterable {
        /// CONSUMPTION_REQUEST
        case request
        /// REFUND
        case refund
        /// REFUND_DECLINED
        case declined
        /// REFUND_REVERSED
        case reversed
        /// Any other signed form of the transaction.
        case seen

        /// Which of two facts with the same date counts as the earlier one.
        var rank: Int {
            switch self {
            case .request, .seen: 0
            case .refund, .declined: 1
            case .reversed: 2
            }
        }
    }

    /// How a fact reached us.
    package enum Source: String, Sendable, CaseIterable {
        case notification
        case history
        case refundHistory = "refund-history"
        case transaction
        /// From before the app was handed to us.
        case imported = "import"
    }

    /// The `notificationUUID`, or derived from the signed text of a look-up.
    package let id: UUID
    package let kind: Kind
    package let signedAt: Moment
    package let source: Source
    /// `consumptionRequestReason`, verbatim; requests only.
    package let reason: String?

    package init(id: UUID, kind: Kind, signedAt: Moment, source: Source = .notification, reason: String? = nil) {
        self.id = id
        self.kind = kind
        self.signedAt = signedAt
        self.source = source
        self.reason = reason
    }

    package static func < (a: CaseFact, b: CaseFact) -> Bool {
        if a.signedAt != b.signedAt { return a.signedAt < b.signedAt }
        if a.kind.rank != b.kind.rank { return a.kind.rank < b.kind.rank }
        return a.id < b.id
    }
}

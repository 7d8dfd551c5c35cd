package import FoundationEssentials
package import Tenants
package import Time

/// A commerce request as it stands: one intention, one reference for Apple, and what came of it.
package struct CommerceRequest: Sendable, Hashable, Identifiable {
    package struct Item: Sendable, Hashable {
        package let asked: CommerceItem
        /// Milliunits; what the item had cost when the request was made.
        package let price: Int64?
        /// Milliunits; what Apple signed as given back since.
        package let refundedAmount: Int64?
        package let refundedAt: Moment?
        /// When the item's access ended, as Apple signed it.
        package let revokedAt: Moment?

        package init(
            asked: CommerceItem, price: Int64? = nil, refundedAmount: Int64? = nil, refundedAt: Moment? = nil,
            revokedAt: Moment? = nil
        ) {
            self.asked = asked
            self.price = price
            self.refundedAmount = refundedAmount
            self.refundedAt = refundedAt
            self.revokedAt = revokedAt
        }
    }

    /// Apple's newest answer.
    package struct Answer: Sendable, Hashable {
        package let status: Int
        package let code: Int64?
        package let message: String?
        /// As it came; the first 4 KiB.
        package let body: [UInt8]
        package let at: Moment

        package init(status: Int, code: Int64?, message: String?, body: [UInt8], at: Moment) {
            self.status = status
            self.code = code
            self.message = message
            self.body = body
            self.at = at
        }
    }

    package let tenant: TenantID
    package let app: AppID
    package let id: UUID
    package let environment: AppEnvironment
    package let kind: CommerceKind
    package let transactionID: String
    package let originalTransactionID: String
    package let productID: String
    package let requestReferenceID: UUID
    package let state: CommerceRequestState
    package let stateReason: CommerceStateReason?
    /// Of a refund, what was asked for; of a revocation, all that was bought.
    package let items: [Item]
    package let refundReason: CommerceReason?
    package let refundType: CommerceRefundType?
    package let refundRiskingPreference: Bool?
    package let currency: String?
    /// Of the purchase, which the request itself may leave out.
    package let purchaseCurrency: String?
    package let storefront: String?
    /// Milliunits; the most that the customer may get back. Nil: unknown.
    package let amountEstimate: Int64?
    package let note: String?
    /// What is sent, to the byte; nil while it may still be taken back without a trace.
    package let body: [UInt8]?
    package let askedAt: Moment
    package let askedBy: PersonID?
    package let askedByToken: UUID?
    package let submittedAt: Moment?
    package let submittedBy: PersonID?
    package let submittedByToken: UUID?
    package let needsApproval: Bool
    package let approvedBy: PersonID?
    package let approvedAt: Moment?
    package let cancelledBy: PersonID?
    package let cancelledAt: Moment?
    /// The case of the same transaction.
    package let caseID: UUID?
    /// The CONSUMPTION_REQUEST that this request brought about.
    package let roundID: UUID?
    package let answer: Answer?
    package let attempts: [CommerceAttempt]
    package let listedAt: Moment
    package let changedAt: Moment
    package let version: Int

    /// What Apple's newest answer means, in words; nil where it was no refusal.
    package var words: CommerceErrorWords? {
        guard let answer, !(200...299).contains(answer.status) else { return nil }
        return CommerceErrorWords(status: answer.status, code: answer.code, kind: kind)
    }

    /// What was asked, as it was asked.
    var intention: CommerceIntention {
        CommerceIntention(
            kind: kind, environment: environment, transactionID: transactionID,
            items: kind == .refund ? items.map(\.asked) : [],
            refundReason: refundReason, refundType: refundType, refundRiskingPreference: refundRiskingPreference,
            storefront: storefront, currency: currency, note: note)
    }
}

/// A page of requests, newest first.
package struct CommercePage: Sendable {
    package let requests: [CommerceRequest]
    package let next: ListCursor?
}

/// Which requests a list shows.
package struct CommerceFilter: Sendable, Hashable {
    package var states: Set<CommerceRequestState>
    package var kind: CommerceKind?
    package var environment: AppEnvironment?
    package var transactionID: String?

    package init(
        states: Set<CommerceRequestState> = [], kind: CommerceKind? = nil, environment: AppEnvironment? = nil,
        transactionID: String? = nil
    ) {
        self.states = states
        self.kind = kind
        self.environment = environment
        self.transactionID = transactionID
    }
}

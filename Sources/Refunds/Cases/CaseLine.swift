package import FoundationEssentials
package import Tenants
package import Time

/// A case as a list shows it: the row of `refunds.cases`.
package struct CaseLine: Hashable, Sendable, Identifiable {
    package let id: UUID
    package let app: AppID
    package let isSandbox: Bool
    package let transactionID: String
    package let originalTransactionID: String
    package let productID: String
    /// `appAccountToken`; nil where the app never set one.
    package let customer: String?
    package let state: CaseState
    package let stateReason: String?
    package let outcome: CaseOutcome
    /// `consumptionRequestReason` as Apple wrote it.
    package let reason: String?
    /// Thousandths of `currency`'s unit.
    package let price: Int64?
    package let currency: String?
    /// The newest request's `signedDate`; without a request, the earliest fact's.
    package let listedAt: Moment
    package let deadline: Moment?
    /// The member who looks after it; nil: nobody.
    package let assignee: UUID?

    package init(
        id: UUID, app: AppID, isSandbox: Bool = false, transactionID: String,
        originalTransactionID: String, productID: String, customer: String? = nil, state: CaseState,
        stateReason: String? = nil, outcome: CaseOutcome, reason: String? = nil, price: Int64? = nil,
        currency: String? = nil, listedAt: Moment, deadline: Moment? = nil, assignee: UUID? = nil
    ) {
        self.id = id
        self.app = app
        self.isSandbox = isSandbox
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.customer = customer
        self.state = state
        self.stateReason = stateReason
        self.outcome = outcome
        self.reason = reason
        self.price = price
        self.currency = currency
        self.listedAt = listedAt
        self.deadline = deadline
        self.assignee = assignee
    }
}

extension CaseLine {
    /// In Apple's words.
    package var environment: String { isSandbox ? "Sandbox" : "Production" }
}

/// Up to a page of cases, newest first.
package struct CasePage: Sendable {
    package let cases: [CaseLine]
    /// Nil on the last page.
    package let next: ListCursor?

    package init(cases: [CaseLine], next: ListCursor?) {
        self.cases = cases
        self.next = next
    }
}

package import Tenants
package import Time

/// What a list of cases is narrowed to. Empty sets mean "any".
package struct CaseFilter: Hashable, Sendable {
    package var states: Set<CaseState> = []
    package var outcomes: Set<CaseOutcome> = []
    package var reason: Reason?
    /// Nil: both environments.
    package var isSandbox: Bool?
    /// Apps of the tenant; empty means all of them.
    package var apps: Set<AppID> = []
    package var productID: String?
    package var transactionID: String?
    package var originalTransactionID: String?
    /// Compared in lower case, as it is stored.
    package var appAccountToken: String?
    /// Why cases stand where they stand, in our own word.
    package var stateReason: String?
    /// What Apple was told, of cases whose reply was taken.
    package var told: Decision.Answer?
    /// On the newest request's `signedDate`: at or after this moment.
    package var from: Moment?
    /// Before this moment.
    package var to: Moment?

    package init() {}

    /// A customer's reason to filter by: one of Apple's words, or that none was given.
    package enum Reason: Hashable, Sendable {
        case notGiven
        case given(String)
    }

    package var isEmpty: Bool { self == CaseFilter() }
}

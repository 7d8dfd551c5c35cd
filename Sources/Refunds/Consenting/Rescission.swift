package import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// Consent that Apple took back: a parent withdrew it for everything that was bought under one `appTransactionId`.
package struct Rescission: Sendable, Hashable, Identifiable {
    /// What a person decided about it.
    package enum Choice: String, Sendable, Hashable, CaseIterable {
        /// Requests are answered again, as the ledger allows.
        case answerAgain = "answer-again"
        case leaveStopped = "leave-stopped"
    }

    /// The `notificationUUID`.
    package let id: UUID
    package let isSandbox: Bool
    package let appTransactionID: String
    package let signedAt: Moment
    package let learnedAt: Moment
    /// Nil: nobody looked yet.
    package let choice: Choice?
    package let decidedBy: PersonID?
    package let decidedAt: Moment?

    /// Whether it stops replies.
    package var stops: Bool { choice != .answerAgain }

    package init(
        id: UUID, isSandbox: Bool = false, appTransactionID: String, signedAt: Moment, learnedAt: Moment,
        choice: Choice? = nil, decidedBy: PersonID? = nil, decidedAt: Moment? = nil
    ) {
        self.id = id
        self.isSandbox = isSandbox
        self.appTransactionID = appTransactionID
        self.signedAt = signedAt
        self.learnedAt = learnedAt
        self.choice = choice
        self.decidedBy = decidedBy
        self.decidedAt = decidedAt
    }
}

extension Rescission {
    init(_ row: Row) throws {
        let environment: String = try row("environment")
        let decision: String? = try row("decision")
        let person: UUID? = try row("decided_by")
        self.init(
            id: try row("notification_uuid"), isSandbox: environment == "Sandbox",
            appTransactionID: try row("app_transaction_id"), signedAt: try row("signed_at"),
            learnedAt: try row("learned_at"), choice: decision.flatMap(Choice.init),
            decidedBy: person.map(PersonID.init), decidedAt: try row("decided_at"))
    }
}

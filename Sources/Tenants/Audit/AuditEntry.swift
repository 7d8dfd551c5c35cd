package import FoundationEssentials
package import Time

/// Who did what. Names ids, never key text, mail addresses or bodies, so that nothing of it ever has to be erased.
package struct AuditEntry: Sendable {
    /// Who acted.
    package enum Actor: Hashable, Sendable {
        case person(PersonID)
        /// An API token, by its id.
        case token(UUID)
        /// `refund-desk` on the command line.
        case commandLine
        /// The program by itself, for instance when it learns an Apple ID.
        case program
    }

    /// A detail's value.
    package enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
        ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
    {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case none

        package init(stringLiteral value: String) { self = .text(value) }
        package init(integerLiteral value: Int64) { self = .number(value) }
        package init(booleanLiteral value: Bool) { self = .flag(value) }
    }

    package let tenant: TenantID
    package let at: Moment
    package let actor: Actor
    /// The network address the person came from, where there is one.
    package let address: String?
    /// A word of the form `app.added`.
    package let action: String
    /// What it was done to, by id: `app 7`.
    package let subject: String
    package let detail: [String: Value]

    package init(
        tenant: TenantID, at: Moment, actor: Actor, address: String? = nil, action: String, subject: String,
        detail: [String: Value] = [:]
    ) {
        self.tenant = tenant
        self.at = at
        self.actor = actor
        self.address = address
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}

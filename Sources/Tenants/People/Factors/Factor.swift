package import FoundationEssentials
import Postgres
package import Time

/// What a person shows beside, or instead of, the password.
package struct Factor: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// An app that makes codes.
        case generator = "totp"
        case passkey
    }

    package let id: UUID
    package let kind: Kind
    package let name: String
    package let createdAt: Moment
    package let lastUsedAt: Moment?

    package init(id: UUID, kind: Kind, name: String, createdAt: Moment, lastUsedAt: Moment?) {
        self.id = id
        self.kind = kind
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    init(_ row: Row) throws(PostgresError) {
        let kind: String = try row("kind")
        self.init(
            id: try row("factor_id"), kind: Kind(rawValue: kind) ?? .passkey, name: try row("name"),
            createdAt: try row("created_at"), lastUsedAt: try row("last_used_at"))
    }
}

/// How a person's sign-in is guarded, for their page.
package struct Factors: Hashable, Sendable {
    /// Those that were confirmed, oldest first.
    package let confirmed: [Factor]
    package let recoveryCodesLeft: Int
    package let hasPassword: Bool

    package init(confirmed: [Factor], recoveryCodesLeft: Int, hasPassword: Bool) {
        self.confirmed = confirmed
        self.recoveryCodesLeft = recoveryCodesLeft
        self.hasPassword = hasPassword
    }
}

import FoundationEssentials
import Postgres
package import Time

/// A token as its row shows it: the first characters, never the whole.
package struct APITokenSummary: Hashable, Sendable {
    package let token: APIToken
    package let prefix: String
    /// What people call it; may be empty.
    package let name: String
    package let createdAt: Moment
    /// Nil where the command line made it.
    package let createdBy: PersonID?
    /// Nil: never.
    package let expiresAt: Moment?
    /// `2026-06-15`, in UTC; nil where it was never used. Calls that came after its end are uses too.
    package let lastUsedOn: String?

    package init(
        token: APIToken, prefix: String, name: String = "", createdAt: Moment, createdBy: PersonID? = nil,
        expiresAt: Moment? = nil, lastUsedOn: String? = nil
    ) {
        self.token = token
        self.prefix = prefix
        self.name = name
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.lastUsedOn = lastUsedOn
    }

    package func hasEnded(at now: Moment) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Within two weeks: time to make its successor.
    package func endsSoon(at now: Moment) -> Bool {
        expiresAt.map { $0 > now && $0 <= now + .days(14) } ?? false
    }
}

extension APITokenSummary {
    init(_ row: Row) throws(PostgresError) {
        let maker: UUID? = try row("created_by")
        self.init(
            token: try APIToken(row), prefix: try row("prefix"), name: try row("name"),
            createdAt: try row("created_at"), createdBy: maker.map(PersonID.init(rawValue:)),
            expiresAt: try row("expires_at"), lastUsedOn: try row("last_used_on"))
    }
}

package import FoundationEssentials
import Postgres
package import Time

/// A session as its person sees it in a list.
package struct SessionLine: Hashable, Sendable {
    package let id: UUID
    package let method: SignInMethod
    package let address: String?
    package let userAgent: String?
    package let startedAt: Moment
    /// Right to some minutes.
    package let seenAt: Moment
    /// The one that asks.
    package let isCurrent: Bool

    package init(
        id: UUID, method: SignInMethod, address: String?, userAgent: String?, startedAt: Moment, seenAt: Moment,
        isCurrent: Bool
    ) {
        self.id = id
        self.method = method
        self.address = address
        self.userAgent = userAgent
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.isCurrent = isCurrent
    }

    init(_ row: Row, current: UUID) throws {
        let method: String = try row("method")
        self.init(
            id: try row("session_id"), method: SignInMethod(rawValue: method) ?? .password,
            address: try row("address"), userAgent: try row("user_agent"), startedAt: try row("created_at"),
            seenAt: try row("seen_at"), isCurrent: try row("session_id") == current)
    }
}

package import Postgres

/// So many of so many were used: credits, or items.
package struct UsageCount: Sendable, Hashable {
    package static let max: Int64 = 1_000_000_000_000

    /// May be more than were granted: some were given besides.
    package var used: Int64
    package var granted: Int64

    package init(used: Int64, granted: Int64) {
        self.used = used
        self.granted = granted
    }

    var isPossible: Bool { (0...Self.max).contains(used) && (1...Self.max).contains(granted) }

    /// Thousandths of a percent, rounded down, 0…100,000: one that is all but used up is not used up.
    package var share: Int {
        guard isPossible else { return 0 }
        return Int(min(100_000, used * 100_000 / granted))
    }
}

extension UsageCount {
    /// From columns `used` and `granted`.
    package init(_ row: Row) throws(PostgresError) { self.init(used: try row("used"), granted: try row("granted")) }
}

import Time

/// What is kept, and how long. The reasons: docs/decisions/0006-retention.md.
package struct RetentionTerms: Sendable {
    /// Apple's signed originals. Dropped by the month.
    package var bodies: Duration = .days(396)
    /// The rows that make a repeat a repeat, where no case keeps them.
    package var notifications: Duration = .days(396)
    /// Cases with their facts, requests, replies and attempts; what was reported of their use; and commerce requests,
    /// with the sales that they are set against.
    package var cases: Duration = .days(761)
    /// Refused deliveries.
    package var refusals: Duration = .days(30)

    /// The delivery log of the relay.
    package var relay: Duration = .days(30)

    package init() {}
}

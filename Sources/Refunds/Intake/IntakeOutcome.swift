/// What became of a delivery.
package enum IntakeOutcome: Sendable, Hashable {
    /// Durable, for the first time.
    case accepted
    /// Durable already; counted.
    case duplicate
    /// Can never be right; not to be sent again.
    case rejected(reason: String, text: String)
    /// Our own trouble; to be sent again.
    case unavailable(retryAfter: Duration, text: String)
}

/// What Apple decided about a case, by the newest signed facts.
package enum CaseOutcome: String, Sendable, CaseIterable {
    case pending, refunded, declined, reversed
}

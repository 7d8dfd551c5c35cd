/// What Apple decided about a case, by the newest signed facts.
///
/// The order is the stored column's.
package enum CaseOutcome: String, Sendable, CaseIterable {
    case pending, refunded, declined, reversed
    /// Nothing was heard for so long that nothing is expected any more. What comes later counts all the same.
    case unheard
}

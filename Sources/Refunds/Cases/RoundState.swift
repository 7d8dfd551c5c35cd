/// Where one request of a case stands.
package enum RoundState: String, Sendable, CaseIterable {
    case open, held, answered, withheld, refused, missed, overtaken, imported
    /// A newer request of the same transaction exists; only the newest is answered.
    case superseded
}

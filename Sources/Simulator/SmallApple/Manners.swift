/// Which of Apple's unpleasant habits are played.
///
/// Each can be switched by itself; `calm` is none of them.
package struct Manners: Sendable, Hashable {
    /// Some notifications are sent twice.
    package var copies: Bool
    /// Some notifications are sent late.
    package var lateness: Bool
    /// Some notifications wait until a newer one was sent.
    package var disorder: Bool
    /// Unknown fields and unknown enum values now and then.
    package var inventions: Bool
    /// Some calls are answered 429 or 500.
    package var troubles: Bool
    /// Requests are decided after a while.
    package var decisions: Bool
    /// Failed production notifications are sent again, on the scaled schedule.
    package var retries: Bool
    /// Requests are sometimes decided otherwise than asked, and refunds undone again.
    package var wilfulness: Bool

    package static let calm = Manners(all: false)
    package static let asEver = Manners(all: true)

    private init(all: Bool) {
        copies = all
        lateness = all
        disorder = all
        inventions = all
        troubles = all
        decisions = all
        retries = all
        wilfulness = all
    }

    static let switches: [(name: String, path: any WritableKeyPath<Manners, Bool> & Sendable)] = [
        ("copies", \.copies), ("lateness", \.lateness), ("disorder", \.disorder), ("inventions", \.inventions),
        ("troubles", \.troubles), ("decisions", \.decisions), ("retries", \.retries), ("wilfulness", \.wilfulness),
    ]
}

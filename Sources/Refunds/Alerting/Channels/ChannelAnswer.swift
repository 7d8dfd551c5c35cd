/// What came of one sending over one channel. Words are for people: at most `wordsMax` characters, and never a secret.
package enum ChannelAnswer: Sendable, Hashable {
    /// Taken, with the service's own id or words.
    case accepted(String)
    /// A passing trouble: 5xx, too many, no answer; after so long, where the service said so.
    case again(String, after: Duration?)
    /// This message will never be taken, others may be.
    case refused(String)
    /// The channel is dead for good: the hook was removed, the key is not known. Switch it off.
    case gone(String)

    package static let wordsMax = 200

    package var words: String {
        switch self {
        case .accepted(let words), .refused(let words), .gone(let words), .again(let words, _): words
        }
    }

    package var isAccepted: Bool { if case .accepted = self { true } else { false } }

    /// The same with other words.
    func saying(_ change: (String) -> String) -> ChannelAnswer {
        switch self {
        case .accepted(let words): .accepted(change(words))
        case .again(let words, let pause): .again(change(words), after: pause)
        case .refused(let words): .refused(change(words))
        case .gone(let words): .gone(change(words))
        }
    }
}

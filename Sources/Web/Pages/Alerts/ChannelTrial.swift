import Refunds
import Time

/// What is said of the newest test of a channel.
struct ChannelTrial {
    /// For so long a message that was not sent yet counts as on its way.
    static let patience = Duration.minutes(2)
    /// An older test is a date and no news.
    private static let news = Duration.minutes(30)

    let test: ChannelTest?
    let channel: Channel
    let now: Moment

    /// Whether something comes by itself.
    var isAwaited: Bool { test.map { $0.isTaken == nil && isFresh($0, Self.patience) } ?? false }

    var notice: Notice? {
        guard let test, isFresh(test, Self.news) else { return nil }
        switch test.isTaken {
        case true?:
            return Notice(
                .good, "The test message was taken.",
                more: "\(channel.kind.name) said: \(test.words). Look whether it has reached somebody.")
        case false?:
            return Notice(
                .bad, "The test message was not taken.",
                more: "\(Words.sentence(test.words)). It is not tried again: put it right, and press Test.")
        case nil where isAwaited:
            return Notice(
                .plain, "The test message is on its way.", more: "What comes of it stands here by itself in a moment.")
        case nil:
            return Notice(
                .attention, "The test message was not sent yet.",
                more: "Whoever runs this installation looks whether its part “engine” runs.")
        }
    }

    private func isFresh(_ test: ChannelTest, _ span: Duration) -> Bool { test.askedAt > now - span }
}

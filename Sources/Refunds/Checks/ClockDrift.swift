import Time

/// How far this machine's clock is from Apple's, and what that means for tokens. Pure.
///
/// One meaning everywhere: our clock minus Apple's. Positive is ahead.
package struct ClockDrift: Sendable, Hashable {
    /// A token is dated a minute back: a clock that is further ahead makes it come from the future. The measure is
    /// good to a second or two.
    static let aheadMax: Duration = .seconds(58)
    /// A token is valid for five minutes: a clock that is further behind makes it old when it is new.
    static let behindMax: Duration = .seconds(298)
    private static let worthSaying: Duration = .seconds(5)

    /// Our clock minus Apple's.
    package let offset: Duration

    package init(_ offset: Duration) { self.offset = offset }

    package var isAhead: Bool { offset > .zero }

    /// Whether tokens are still believed.
    package var isBearable: Bool { offset <= Self.aheadMax && offset >= .zero - Self.behindMax }

    package var isWorthSaying: Bool { abs(offset.wholeMilliseconds) >= Self.worthSaying.wholeMilliseconds }

    /// `10 minutes ahead of Apple's`
    package var words: String { words(than: "Apple") }

    /// - Parameter other: whose clock it is compared with.
    package func words(than other: String) -> String {
        "\(ProbeVerdict.span(offset)) \(isAhead ? "ahead of" : "behind") \(other)'s"
    }
}

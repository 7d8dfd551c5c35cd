import Time

/// How long to wait before the next attempt. Pure.
package enum RetryPolicy {
    /// 1 to 2 s after the first attempt, then doubling, up to `ceiling`; always between the half
    /// and the whole, so that what failed together does not come back together.
    ///
    /// - Parameters:
    ///   - attempt: how many were made, from 1.
    ///   - random: from 0 to 1.
    package static func delay(attempt: Int, random: Double, ceiling: Duration) -> Duration {
        let whole = min(ceiling, .seconds(1 << min(max(1, attempt), 30)))
        let share = 0.5 + 0.5 * min(max(0, random), 1)
        return .milliseconds(Int64(Double(whole.wholeMilliseconds) * share))
    }

    /// The same with chance from the system.
    package static func delay(attempt: Int, ceiling: Duration) -> Duration {
        delay(attempt: attempt, random: .random(in: 0...1), ceiling: ceiling)
    }
}

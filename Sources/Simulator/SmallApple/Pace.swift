/// How fast the small Apple's time runs where Apple's own would be hours.
package struct Pace: Sendable, Hashable {
    /// From an accepted answer to the decision.
    package var decision: ClosedRange<Int64> = 3_000...15_000
    /// How long Apple waits for an answer before it decides without one, in milliseconds.
    package var patience: Int64 = 45_000
    /// From a refund to its reversal, in milliseconds.
    package var reversal: ClosedRange<Int64> = 10_000...40_000
    /// How late a late notification is, in milliseconds.
    package var lateness: ClosedRange<Int64> = 1_000...10_000
    /// How long after the first the second copy of a notification follows, in milliseconds.
    package var copy: ClosedRange<Int64> = 50...5_000
    /// How long a held-back notification waits for a newer one at the most, in milliseconds.
    package var holdMax: Int64 = 12_000
    /// How long the sender of notifications waits for an answer, in milliseconds; Apple's own patience is not
    /// documented (apple sheet 1.2).
    package var senderPatience: Int64 = 15_000
    /// One hour of Apple's retry schedule, in milliseconds.
    package var retryHour: Int64 = 2_000

    package init() {}

    /// Apple's schedule after a failed attempt: 1, 12, 24, 48 and 72 hours after the previous one, in
    /// production only (apple sheet 1.2).
    static let retryHours: [Int64] = [1, 12, 24, 48, 72]
}

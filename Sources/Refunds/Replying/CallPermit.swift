import Queue
import Time

/// The right to one call, committed together with its attempt: from when until when it may be handed to the network.
///
/// Counted on a clock that runs while the machine sleeps: a frozen or restored machine finds its permission expired.
struct CallPermit: Sendable {
    /// The permit's moment in the lane: not before it.
    let sendAfter: ContinuousClock.Instant
    /// The end of the permission, no later than the one that stands with the attempt.
    let sendBy: ContinuousClock.Instant

    static let permission: Duration = .seconds(5)
    /// The client's total time-out, and some for settling.
    static let callTotal: Duration = .seconds(20)
    static let settleAllowance: Duration = .seconds(10)

    /// - Parameters:
    ///   - wait: the permit's moment, counted by the database from when it gave the permit.
    ///   - asked: a moment before that: the permission ends too early rather than too late.
    ///   - given: a moment after it: the call comes too late rather than too early.
    init(after wait: Duration, asked: ContinuousClock.Instant, given: ContinuousClock.Instant) {
        sendAfter = given + wait
        sendBy = asked + wait + Self.permission
    }

    /// After it nobody expects the result any more: it counts as unknown.
    var giveUp: ContinuousClock.Instant { sendBy + Self.callTotal + Self.settleAllowance }

    /// Waits for the turn.
    ///
    /// - Returns: why nothing may be sent; nil where it may.
    func turn() async -> String? {
        await Turn.wait(until: sendAfter)
        // A stop wakes the sleeper early: the permit's moment is other processes' moment as well.
        guard .now >= sendAfter else { return "the process stopped before the call's turn" }
        return .now < sendBy ? nil : "the permission to send ended before the call"
    }
}

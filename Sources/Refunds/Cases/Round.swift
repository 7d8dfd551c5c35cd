package import Time

package import struct FoundationEssentials.UUID

/// One CONSUMPTION_REQUEST of a case, and what we did about it.
package struct Round: Sendable, Hashable {
    /// How the request reached us. It decides whether it may be answered at all.
    package enum Arrival: Sendable, Hashable {
        /// Apple delivered it.
        case posted
        /// We fetched it from the notification history.
        case history
        /// It is from before the app was handed to us.
        case imported
    }

    /// The `notificationUUID` of the request.
    package let id: UUID
    package let window: ReplyWindow
    package let arrival: Arrival
    /// Why nothing is sent, as far as that still stands.
    package var withheld: Withholding?
    /// A person is asked, and has not answered, until this moment.
    package var heldUntil: Moment?
    /// A person was asked until then. Nobody is asked twice.
    package var askedUntil: Moment?
    /// What the person said.
    package var answer: HeldAnswer?
    /// In the order they were begun.
    package var attempts: [Attempt]

    package init(
        id: UUID, window: ReplyWindow, arrival: Arrival = .posted, withheld: Withholding? = nil,
        heldUntil: Moment? = nil, askedUntil: Moment? = nil, answer: HeldAnswer? = nil, attempts: [Attempt] = []
    ) {
        self.id = id
        self.window = window
        self.arrival = arrival
        self.withheld = withheld
        self.heldUntil = heldUntil
        self.askedUntil = askedUntil
        self.answer = answer
        self.attempts = attempts
    }

    /// Apple itself first delivered the request after its deadline.
    package var isLate: Bool { arrival == .posted && window.isLate }

    /// A call whose end nobody knows: it may have been received.
    package var hasUnknownAttempt: Bool { attempts.contains { $0.result == .unknown } }

    var attemptInFlight: Attempt? { attempts.first { $0.result == nil } }

    /// Nothing more may be tried, because time is up.
    ///
    /// A late request is worked on once, at once; it is repeated only when the call before certainly
    /// did not arrive, and for ten minutes from its first delivery.
    func isOver(at now: Moment) -> Bool {
        guard isLate else { return now >= window.deadline }
        return now >= window.lateEnd || attempts.contains { $0.mayHaveArrived }
    }
}

/// What Apple does after it has accepted a request; its real ways are not published (apple sheet 11.2, 6).
package enum CommerceOutcome: String, Sendable, Hashable, CaseIterable {
    /// Refunded, and told by REFUND.
    case refund
    /// Declined, and told by REFUND_DECLINED.
    case decline
    /// Refunded, and no notification ever says so: only Get Transaction Info shows it.
    case silentRefund
    /// Declined, and no notification ever says so.
    case silentDecline
    /// Never decided, unless the control API does it.
    case none
    /// As the consumption information prefers; refunded where it says nothing.
    case asAnswered
    /// As the consumption information prefers; where it says nothing, drawn from the seed.
    case drawn
}

/// The switches of the Advanced Commerce calls.
package struct CommerceSettings: Sendable, Hashable {
    /// How a `requestReferenceId` that was used before is met.
    package enum Repeats: String, Sendable, CaseIterable {
        /// The same call again is the same call while no answer to it was sent, and 4000097 from then on.
        case untilAnswered
        /// Always 4000097, even if the answer was lost.
        case refused
        /// The same call again is always the same call.
        case same
    }

    /// nil: drawn where the manners are wilful, as answered where they decide, none where they do not.
    package var outcome: CommerceOutcome?
    package var repeats = Repeats.untilAnswered
    /// A token that is not good is answered with 401 and JSON, code 4010000, instead of the bare 401.
    package var refusesTokensInJSON = false
    /// Whether the newer host names serve these calls; the older ones always do.
    package var areOnNewHosts = true
    /// Whether more than 5 calls in a second (one in two seconds in the sandbox) are refused; the hour is always counted.
    package var countsSeconds = true
    /// How much of a second the network may take from it, in milliseconds, 0…900.
    package var jitterMilliseconds: Int64 = 100
    /// Whether the decision is made before the answer, which then shows it already.
    package var decidesAtOnce = false
    /// Whether an accepted call is answered only when its refund was decided.
    package var answersAfterDecision = false
    /// Whether `refundRiskingPreference` true brings a CONSUMPTION_REQUEST: Apple only may ask.
    package var asksForConsumption = true

    package init() {}
}

/// What one app may do in one environment.
package struct CommerceStanding: Sendable, Hashable {
    /// Approved for Advanced Commerce; without it, good tokens get 401 with JSON, code 4010000.
    package var isApproved = true
    /// Whether the Account Holder has accepted the newest addendum.
    package var hasAddendum = true
    /// In place of the outcome that holds for all apps.
    package var outcome: CommerceOutcome?

    package init() {}
}

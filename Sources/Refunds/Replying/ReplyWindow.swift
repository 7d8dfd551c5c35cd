package import AppStore
package import Time

/// How long a request may be answered.
///
/// Apple waits twelve hours for consumption information, in the sandbox five minutes. The time is
/// counted from the request's `signedDate`, the earliest reading of "from receiving the
/// notification". Source: Send Consumption Information; Testing refund requests.
package struct ReplyWindow: Sendable, Hashable {
    package let signedAt: Moment
    package let firstReceivedAt: Moment
    package let environment: Environment

    package init(signedAt: Moment, firstReceivedAt: Moment, environment: Environment) {
        self.signedAt = signedAt
        self.firstReceivedAt = firstReceivedAt
        self.environment = environment
    }

    package static func length(in environment: Environment) -> Duration {
        switch environment {
        case .production: .hours(12)
        case .sandbox: .minutes(5)
        }
    }

    /// From this moment on an answer no longer counts.
    package var deadline: Moment { signedAt + Self.length(in: environment) }

    /// No call begins later than this before the deadline: it would arrive when nobody waits.
    ///
    /// 60 s, in the sandbox 10 s; but never more than a sixth of the time that was left when the
    /// request first reached us, so that one that comes late is still tried.
    package var margin: Duration {
        let usual: Duration = environment == .production ? .seconds(60) : .seconds(10)
        let left = max(.zero, deadline - firstReceivedAt)
        return min(usual, left / 6)
    }

    /// The request first reached us after its deadline.
    package var isLate: Bool { firstReceivedAt >= deadline }

    /// A request that Apple first delivered after its deadline is worked on until then.
    package var lateEnd: Moment { firstReceivedAt + .minutes(10) }

    /// The moment from which no call may begin.
    package var lastStart: Moment { isLate ? lateEnd : deadline - margin }

    /// The moment at which the request counts as missed if nothing happened until then.
    package var end: Moment { isLate ? lateEnd : deadline }

    package func mayBegin(at now: Moment) -> Bool { now < lastStart }

    /// Until when a person may be asked: half an hour before the deadline, or a fifth of the time that was left when
    /// the request first reached us, whichever is less. What goes out without an answer has that time to reach Apple.
    package var askUntil: Moment {
        let left = max(.zero, deadline - firstReceivedAt)
        return deadline - max(margin, min(.minutes(30), left / 5))
    }

    /// Until when the reply waits for the app's server, which is asked again and again meanwhile: half of the time that
    /// was left when the request first reached us, in the sandbox 20 seconds at most.
    ///
    /// The other half stays for people, for repairs, and for Apple's own troubles.
    package var callbackUntil: Moment {
        let half = max(.zero, deadline - firstReceivedAt) / 2
        let patience = environment == .production ? half : min(.seconds(20), half)
        return deadline - (max(.zero, deadline - firstReceivedAt) - patience)
    }

    /// The longest wait between two calls.
    package var retryCeiling: Duration {
        switch environment {
        case .production: .minutes(5)
        case .sandbox: .seconds(20)
        }
    }
}

package import FoundationEssentials
package import Time

/// How an app's other receiver does.
package struct RelayStanding: Hashable, Sendable {
    /// Whether an address is set: else nothing is passed on.
    package let isSet: Bool
    package let lastSuccessAt: Moment?
    /// For people; the newest, whether or not it went well since.
    package let lastError: String?
    package let lastErrorAt: Moment?
    /// How often in a row the receiver was away; 0: it answers.
    package let failures: Int
    /// Left alone until then.
    package let pausedUntil: Moment?
    /// At most `countMax`.
    package let waiting: Int
    /// Of those in the delivery log; at most `countMax`.
    package let givenUp: Int

    package static let countMax = 10_000

    package init(
        isSet: Bool, lastSuccessAt: Moment? = nil, lastError: String? = nil, lastErrorAt: Moment? = nil,
        failures: Int = 0, pausedUntil: Moment? = nil, waiting: Int = 0, givenUp: Int = 0
    ) {
        self.isSet = isSet
        self.lastSuccessAt = lastSuccessAt
        self.lastError = lastError
        self.lastErrorAt = lastErrorAt
        self.failures = failures
        self.pausedUntil = pausedUntil
        self.waiting = waiting
        self.givenUp = givenUp
    }

    /// The newest thing that happened was an error.
    package var isInTrouble: Bool {
        guard isSet, let lastErrorAt else { return false }
        return failures > 0 || lastErrorAt > (lastSuccessAt ?? .distantPast)
    }
}

extension Moment {
    fileprivate static let distantPast = Moment(milliseconds: 0)
}

/// One line of the delivery log.
package struct RelayLine: Hashable, Sendable, Identifiable {
    package enum State: String, Hashable, Sendable {
        case waiting, delivered
        case givenUp = "given-up"
    }

    /// `notificationUUID`
    package let id: UUID
    /// `notificationType`; nil where the notification itself was forgotten.
    package let type: String?
    package let isSandbox: Bool
    package let state: State
    package let attempts: Int
    package let createdAt: Moment
    package let lastAttemptAt: Moment?
    /// The next try; for those that wait.
    package let nextAttemptAt: Moment?
    package let status: Int?
    package let error: String?

    package init(
        id: UUID, type: String?, isSandbox: Bool = false, state: State, attempts: Int, createdAt: Moment,
        lastAttemptAt: Moment? = nil, nextAttemptAt: Moment? = nil, status: Int? = nil, error: String? = nil
    ) {
        self.id = id
        self.type = type
        self.isSandbox = isSandbox
        self.state = state
        self.attempts = attempts
        self.createdAt = createdAt
        self.lastAttemptAt = lastAttemptAt
        self.nextAttemptAt = nextAttemptAt
        self.status = status
        self.error = error
    }
}

package import Time

package import struct FoundationEssentials.UUID

extension CaseStory {
    /// A question to the app's server about one request.
    package struct Ask: Sendable {
        package enum State: String, Sendable {
            case waiting, answered, refused, silent, ended
        }

        package let round: UUID
        package let state: State
        package let askedAt: Moment
        /// Until when the reply waits for it.
        package let waitUntil: Moment
        package let endedAt: Moment?
        package let tries: Int
        /// Of the newest try.
        package let status: Int?
        package let error: String?
        /// The tries in their order, as far as they were kept.
        package let each: [Try]

        package init(
            round: UUID, state: State, askedAt: Moment, waitUntil: Moment, endedAt: Moment? = nil, tries: Int = 0,
            status: Int? = nil, error: String? = nil, each: [Try] = []
        ) {
            self.round = round
            self.state = state
            self.askedAt = askedAt
            self.waitUntil = waitUntil
            self.endedAt = endedAt
            self.tries = tries
            self.status = status
            self.error = error
            self.each = each
        }
    }
}

extension CaseStory.Ask {
    /// One time that the server was asked.
    package struct Try: Sendable, Hashable {
        package enum Result: String, Sendable {
            case answered
            /// It will not answer this question.
            case refused
            /// It was asked again.
            case failed
        }

        package let number: Int
        package let begunAt: Moment
        package let endedAt: Moment?
        /// Nil while it is under way, and for ever where the process that asked ended before.
        package let result: Result?
        package let status: Int?
        /// In words, where there was no answer that could be used.
        package let why: String?

        package init(
            number: Int, begunAt: Moment, endedAt: Moment? = nil, result: Result? = nil, status: Int? = nil,
            why: String? = nil
        ) {
            self.number = number
            self.begunAt = begunAt
            self.endedAt = endedAt
            self.result = result
            self.status = status
            self.why = why
        }
    }

    /// Tries one after the other that ended alike: of a server that is away for hours one line is enough.
    package struct Stretch: Sendable {
        package let first: Try
        package let last: Try
        package let count: Int
        /// Nobody knows what came of it.
        package let isLost: Bool
        package let round: UUID
    }

    /// Nobody knows what came of a try: the process that asked ended before it could say.
    package func isLost(_ one: Try) -> Bool {
        one.result == nil && (state != .waiting || one.number != each.last?.number)
    }

    /// The tries in their order, those that ended alike as one.
    package var stretches: [Stretch] {
        var stretches: [Stretch] = []
        for one in each {
            let lost = isLost(one)
            var (first, count) = (one, 1)
            if let before = stretches.last, before.isLost == lost, before.last.isLike(one) {
                stretches.removeLast()
                (first, count) = (before.first, before.count + 1)
            }
            stretches.append(Stretch(first: first, last: one, count: count, isLost: lost, round: round))
        }
        return stretches
    }
}

extension CaseStory.Ask.Try {
    fileprivate func isLike(_ other: Self) -> Bool {
        (result, status, why) == (other.result, other.status, other.why)
    }
}

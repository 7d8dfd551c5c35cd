package import Time

/// One thing that happened to a case. Derived from the rows that exist: no event is written twice.
package struct TimelineEntry: Sendable {
    package enum Event: Sendable {
        /// Apple signed a request; it reached us at `receivedAt`.
        case requested(CaseStory.Round)
        /// A person is or was asked about the request.
        case asked(CaseStory.Round)
        /// The app's server was asked about the request, once or several times with the same outcome.
        case callback(CaseStory.Ask.Stretch)
        /// What the person said.
        case answered(HeldAnswer, CaseStory.Round)
        /// The time for a person's answer was over.
        case unanswered(CaseStory.Round)
        case decided(CaseStory.Round)
        case withheld(CaseStory.Round)
        case superseded(CaseStory.Round)
        case missed(CaseStory.Round)
        /// A call that ended, or that is still in flight.
        case sent(CaseStory.Attempt, CaseStory.Round)
        /// A refund, a decline, a reversal, or another signed form.
        case apple(CaseStory.Fact)
        case consent(CaseStory.Consent)
        case usage(CaseStory.UsageReport)
        case remark(CaseStory.Remark)

        /// A stable word for the API.
        package var kind: String {
            switch self {
            case .requested: "requested"
            case .asked: "asked"
            case .callback: "callback"
            case .answered: "answered"
            case .unanswered: "unanswered"
            case .decided: "decided"
            case .withheld: "withheld"
            case .superseded: "superseded"
            case .missed: "missed"
            case .sent: "sent"
            case .apple(let fact): fact.kind.rawValue
            case .consent: "consent"
            case .usage: "usage"
            case .remark: "remark"
            }
        }

        /// The order of events with the same time: cause before effect.
        var rank: Int {
            switch self {
            case .consent, .usage: 0
            case .requested: 1
            case .callback, .asked, .answered, .unanswered, .decided, .withheld: 2
            case .sent: 3
            case .superseded, .missed: 4
            case .remark: 5
            case .apple: 6
            }
        }
    }

    package let at: Moment
    package let event: Event
}

extension CaseStory {
    /// What happened, oldest first.
    package var timeline: [TimelineEntry] {
        var entries: [TimelineEntry] = []
        for round in rounds {
            entries.append(TimelineEntry(at: round.requestedAt, event: .requested(round)))
            entries += round.asking
            if let decidedAt = round.decidedAt, !round.isPrepared {
                entries.append(
                    TimelineEntry(at: decidedAt, event: round.state == .withheld ? .withheld(round) : .decided(round)))
            }
            if round.state == .missed {
                entries.append(
                    TimelineEntry(at: max(round.deadline, round.firstReceivedAt), event: .missed(round)))
            }
            if round.state == .superseded,
                let newer = rounds.filter({ $0.requestedAt > round.requestedAt }).map(\.requestedAt).min()
            {
                entries.append(TimelineEntry(at: newer, event: .superseded(round)))
            }
            for attempt in round.reply?.attempts ?? [] {
                entries.append(TimelineEntry(at: attempt.startedAt, event: .sent(attempt, round)))
            }
        }
        for stretch in asks.flatMap(\.stretches) {
            entries.append(TimelineEntry(at: stretch.first.begunAt, event: .callback(stretch)))
        }
        for fact in facts where fact.kind != .request {
            entries.append(TimelineEntry(at: fact.signedAt, event: .apple(fact)))
        }
        entries += consents.map { TimelineEntry(at: $0.learnedAt, event: .consent($0)) }
        entries += usage.map { TimelineEntry(at: $0.learnedAt, event: .usage($0)) }
        entries += remarks.map { TimelineEntry(at: $0.at, event: .remark($0)) }
        return entries.enumerated()
            .sorted {
                ($0.element.at, $0.element.event.rank, $0.offset) < ($1.element.at, $1.element.event.rank, $1.offset)
            }
            .map(\.element)
    }
}

extension CaseStory.Round {
    /// What stands as the decision is what was prepared when a person was asked: nobody decided yet.
    fileprivate var isPrepared: Bool {
        guard let askedUntil, let decidedAt else { return false }
        return decision?.hold != nil && decidedAt < askedUntil
    }

    /// Whether a person's answer is the decision. What forbids an answer before any rule is asked forbids it still.
    package var isByPerson: Bool {
        guard answer != nil, let decision, decision.hold == nil else { return false }
        return decision.row != nil || decision.override != nil
    }

    /// That a person was asked, where the time of it was kept, and what came of it.
    fileprivate var asking: [TimelineEntry] {
        guard let askedUntil else { return [] }
        var entries: [TimelineEntry] = []
        if let at = answer?.askedAt.map(Moment.init(milliseconds:)) ?? (isPrepared ? decidedAt : nil) {
            entries.append(TimelineEntry(at: at, event: .asked(self)))
        }
        if let answer {
            entries.append(TimelineEntry(at: answer.moment, event: .answered(answer, self)))
        } else if let decidedAt, decidedAt >= askedUntil {
            entries.append(TimelineEntry(at: askedUntil, event: .unanswered(self)))
        }
        return entries
    }
}

package import Time

/// One transaction of one app in one environment: what Apple signed about it, and what we did.
///
/// A pure value. The states that the database holds are what these functions say, computed again
/// under a lock on the case whenever a fact or an act was added; nothing else sets them. So the same
/// facts and acts end in the same state in whatever order, and however often, they arrive.
package struct RefundCase: Sendable, Hashable {
    package var facts: Set<CaseFact>
    package var rounds: [Round]

    package init(facts: Set<CaseFact> = [], rounds: [Round] = []) {
        self.facts = facts
        self.rounds = rounds
    }

    /// How long Apple's decision about a request is waited for.
    ///
    /// Apple tells of a decline only where the customer asked in the app: most declines are never told.
    package static let hearsUntil: Duration = .days(14)

    /// What Apple did with the money, as far as it was heard at that moment.
    package func outcome(at now: Moment) -> CaseOutcome {
        guard outcome == .pending, let request = newest(.request), now >= request.signedAt + Self.hearsUntil else {
            return outcome
        }
        return .unheard
    }

    /// What Apple did with the money, by what it signed.
    package var outcome: CaseOutcome {
        let refund = newest(.refund)
        let reversal = newest(.reversed)
        if let refund, reversal.map({ $0 < refund }) ?? true { return .refunded }
        let decline = newest(.declined)
        if let request = newest(.request), reversal.map({ $0 < request }) ?? true {
            return decline.map { request < $0 } ?? false ? .declined : .pending
        }
        if reversal != nil { return .reversed }
        return decline != nil ? .declined : .pending
    }

    /// The state of one request: the first line that holds.
    package func standing(of round: Round, at now: Moment) -> RoundStanding {
        let request = fact(of: round)
        let unknown = round.hasUnknownAttempt ? "an earlier call may have been received" : nil
        if let accepted = round.attempts.first(where: { $0.result == .accepted }) {
            let late = round.isLate || (accepted.endedAt.map { $0 > round.window.deadline } ?? false)
            return RoundStanding(.answered, late: late)
        }
        if round.attemptInFlight != nil { return RoundStanding(.open, late: round.isLate) }
        if round.attempts.contains(where: { $0.result == .refused }) {
            return RoundStanding(.refused, late: round.isLate, remark: unknown)
        }
        if facts.contains(where: { $0.kind == .request && request < $0 }) {
            return RoundStanding(.superseded, late: round.isLate, remark: unknown)
        }
        if round.arrival == .imported { return RoundStanding(.imported) }
        if round.arrival == .history, round.window.isLate { return RoundStanding(.missed, reason: "fetched-too-late") }
        if let withheld = round.withheld {
            return RoundStanding(.withheld, reason: withheld.rawValue, late: round.isLate, remark: unknown)
        }
        let decided = facts.filter { ($0.kind == .refund || $0.kind == .declined) && request < $0 }
        if decided.contains(where: { $0.signedAt <= round.window.deadline }) {
            return RoundStanding(.overtaken, late: round.isLate, remark: unknown)
        }
        if round.isOver(at: now) {
            return RoundStanding(.missed, reason: cause(of: round), late: round.isLate, remark: unknown)
        }
        // A request that Apple itself delivered late: it is not answered once Apple has decided.
        if !decided.isEmpty { return RoundStanding(.overtaken, late: round.isLate, remark: unknown) }
        if let heldUntil = round.heldUntil, now < heldUntil { return RoundStanding(.held, late: round.isLate) }
        return RoundStanding(.open, late: round.isLate, remark: unknown)
    }

    /// The state of the whole: that of its newest request.
    package func standing(at now: Moment) -> CaseStanding {
        let state: CaseState
        let newest = newestRound
        let standing = newest.map { self.standing(of: $0, at: now) }
        switch standing?.state {
        case nil, .superseded:
            // A newest round is never superseded by another.
            // What is only seen later makes nothing of the time before into news.
            let told = facts.filter { $0.kind != .seen }
            let decisive = told.isEmpty ? facts : told
            state = !decisive.isEmpty && decisive.allSatisfy { $0.source == .imported } ? .imported : .unasked
        case .open: state = .open
        case .held: state = .held
        case .answered: state = .answered
        case .withheld: state = .withheld
        case .refused: state = .refused
        case .missed: state = .missed
        case .overtaken: state = .overtaken
        case .imported: state = .imported
        }
        let dated = facts.filter { $0.kind != .seen }
        return CaseStanding(
            state: state, stateReason: standing?.reason, outcome: outcome(at: now),
            reason: newest.flatMap { fact(of: $0).reason }, deadline: newest?.window.deadline,
            listedAt: newest?.window.signedAt ?? (dated.isEmpty ? facts : dated).min()?.signedAt)
    }

    /// The request that counts: the newest by Apple's date.
    package var newestRound: Round? { rounds.max { fact(of: $0) < fact(of: $1) } }

    private func newest(_ kind: CaseFact.Kind) -> CaseFact? { facts.filter { $0.kind == kind }.max() }

    private func fact(of round: Round) -> CaseFact {
        facts.first { $0.id == round.id && $0.kind == .request }
            ?? CaseFact(id: round.id, kind: .request, signedAt: round.window.signedAt)
    }

    /// Why a request was missed, in one word for people and totals.
    private func cause(of round: Round) -> String {
        switch round.attempts.last?.result {
        case nil: "not-attempted"
        case .credentials: "credentials-refused"
        case .unknown: "result-unknown"
        case .notSent: "not-sent"
        case .accepted, .refused, .retry: "apple-unavailable"
        }
    }
}

/// What the functions of `RefundCase` say about one request.
package struct RoundStanding: Sendable, Hashable {
    package let state: RoundState
    package let reason: String?
    package let late: Bool
    /// A sentence that a person should see beside the state.
    package let remark: String?

    init(_ state: RoundState, reason: String? = nil, late: Bool = false, remark: String? = nil) {
        self.state = state
        self.reason = reason
        self.late = late
        self.remark = remark
    }
}

/// What the functions of `RefundCase` say about the whole case.
package struct CaseStanding: Sendable, Hashable {
    package let state: CaseState
    package let stateReason: String?
    package let outcome: CaseOutcome
    /// The customer's reason in the newest request.
    package let reason: String?
    package let deadline: Moment?
    /// The newest request's `signedDate`; without a request, the earliest fact's. Nil without facts.
    package let listedAt: Moment?
}

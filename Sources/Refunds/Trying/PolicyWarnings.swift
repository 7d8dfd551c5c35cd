/// What somebody should think about before a policy goes live.
struct PolicyWarnings {
    let policy: Policy
    let trial: PolicyTrial

    /// So many cases must have been looked at before their answers say something of the policy.
    static let casesMin = 20

    var all: [String] {
        let reach = PolicyReach(policy)
        return policy.rules.enumerated().compactMap { neverFits($1, at: $0, reach) } + [sameForAll].compactMap { $0 }
    }

    private func neverFits(_ rule: PolicyRule, at index: Int, _ reach: PolicyReach) -> String? {
        if let contradiction = reach.contradiction(in: index) {
            return "Rule \(rule.number) never fits: \(contradiction)."
        }
        if let earlier = reach.taker(of: index) {
            return
                "Rule \(rule.number) never fits: whatever it looks for is taken by rule \(earlier.number) before it."
        }
        guard trial.looked >= Self.casesMin, trial.fits[rule.number] == nil, !rule.conditions.isEmpty else {
            return nil
        }
        return "Rule \(rule.number) fits none of the last \(trial.looked) requests."
    }

    /// A preference that never varies is discounted, whichever it is.
    private var sameForAll: String? {
        let written = Set(policy.rules.map(\.action.answer))
        if written.count == 1, let answer = written.first, answer.isPreference {
            return Self.sentence("This policy states \(answer.rawValue) for every request.", answer)
        }
        guard trial.looked >= Self.casesMin else { return nil }
        let met = Set(
            trial.fits.keys.compactMap { number in
                policy.rules.first { $0.number == number }?.action.answer
            })
        guard met.count == 1, let answer = met.first, answer.isPreference else { return nil }
        return Self.sentence(
            answer == .decline
                ? "Every one of the last \(trial.looked) requests would be declined."
                : "Every one of the last \(trial.looked) requests would be answered \(answer.rawValue).", answer)
    }

    private static func sentence(_ what: String, _ answer: Decision.Answer) -> String {
        answer == .decline
            ? what + " A preference that never varies is discounted, and declined customers may go to their bank."
            : what + " A preference that never varies is discounted."
    }
}

extension Decision.Answer {
    /// Whether Apple is told what we would like.
    package var isPreference: Bool {
        switch self {
        case .refundInFull, .refundInPart, .decline: true
        case .factsOnly, .nothing: false
        }
    }
}

/// What somebody should think about before a policy goes live.
struct PolicyWarnings {
    let policy: Policy
    let trial: PolicyTrial

    /// So many cases must have been looked at before their answers say something of the policy.
    static let casesMin = 20

    var all: [String] { policy.rules.compactMap(neverFits) + [sameForAll].compactMap { $0 } }

    private func neverFits(_ rule: PolicyRule) -> String? {
        let earlier = policy.rules.first { other in
            other.number < rule.number && Set(other.conditions).isSubset(of: Set(rule.conditions))
        }
        if let earlier {
            return
                "Rule \(rule.number) never fits: whatever it looks for is taken by rule \(earlier.number) before it."
        }
        if let contradiction = rule.contradiction { return "Rule \(rule.number) never fits: \(contradiction)." }
        guard trial.looked > 0, trial.fits[rule.number] == nil, !rule.conditions.isEmpty else { return nil }
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

extension PolicyRule {
    /// Two of its conditions that are never so at once; nil where none are found.
    var contradiction: String? {
        for (index, one) in conditions.enumerated() {
            for other in conditions[(index + 1)...] where one.excludes(other) || other.excludes(one) {
                return "\"\(one.text)\" and \"\(other.text)\" are never so at once"
            }
        }
        return nil
    }
}

extension PolicyCondition {
    /// Whether this being so means that the other is not; false where that is not certain.
    func excludes(_ other: PolicyCondition) -> Bool {
        switch (self, other) {
        case (.size(let one, let isBelow, let limit), .size(let two, let isOtherBelow, let otherLimit)):
            guard one == two else { return false }
            // A price has one currency; what was spent may have many.
            if limit.currency != otherLimit.currency { return one == .price }
            return isBelow && !isOtherBelow && limit.number <= otherLimit.number
        case (.word(let one, isNot: false, let some), .word(let two, let isNot, let others)):
            // Products may end with a star; deliveries and offers have two words each for one thing.
            guard one == two, one != .product, one != .delivery, one != .offer else { return false }
            return isNot ? Set(some).isSubset(of: others) : Set(some).isDisjoint(with: others)
        case (.word, _), (.size, _): return false
        }
    }
}

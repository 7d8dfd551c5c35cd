/// Which rules of a policy can never fit, whatever is asked about. Pure.
///
/// The conditions themselves are put to a purchase of every kind that they can tell apart, one ground at a time. What is
/// too much to look at counts as something that may fit: nothing is found that is not so.
struct PolicyReach {
    private let policy: Policy
    private var samples: [PolicyGround: [PurchaseFacts]] = [:]
    /// For each rule, in their order: which samples of each ground it looks at fit it.
    private var fits: [[PolicyGround: Set<Int>]] = []

    init(_ policy: Policy) {
        self.policy = policy
        let grounds = Dictionary(grouping: Set(policy.rules.flatMap(\.conditions)), by: PolicyGround.init)
        samples = grounds.reduce(into: [:]) { samples, ground in
            samples[ground.key] = ground.key.samples(for: ground.value)
        }
        fits = policy.rules.map { rule in
            Dictionary(grouping: rule.conditions, by: PolicyGround.init).reduce(into: [:]) { fits, ground in
                fits[ground.key] = samples[ground.key].map { Self.fitting(ground.value, $0) }
            }
        }
    }

    /// Why a rule never fits, whatever the others say; nil where it may.
    ///
    /// - Parameter index: of the rule, from 0.
    func contradiction(in index: Int) -> String? {
        let rule = policy.rules[index]
        guard
            let ground = rule.conditions.lazy.map(PolicyGround.init).first(where: { fits[index][$0]?.isEmpty == true }),
            let samples = samples[ground]
        else { return nil }
        let conditions = rule.conditions.filter { PolicyGround($0) == ground }
        if let alone = conditions.first(where: { Self.fitting([$0], samples).isEmpty }) {
            return "\"\(alone.text)\" is never so"
        }
        for (place, one) in conditions.enumerated() {
            for other in conditions[(place + 1)...] where Self.fitting([one, other], samples).isEmpty {
                return "\"\(one.text)\" and \"\(other.text)\" are never so at once"
            }
        }
        return "\"\(conditions.map(\.text).joined(separator: " and "))\" is never so"
    }

    /// The first rule before another that fits wherever the other does; nil where there is none.
    ///
    /// - Parameter index: of the other, from 0.
    func taker(of index: Int) -> PolicyRule? {
        (0..<index).first { takes($0, allOf: index) }.map { policy.rules[$0] }
    }

    private func takes(_ earlier: Int, allOf later: Int) -> Bool {
        let (mine, other) = (policy.rules[earlier].conditions, policy.rules[later].conditions)
        return Set(mine.map(PolicyGround.init)).allSatisfy { ground in
            guard let samples = samples[ground], let taken = fits[earlier][ground] else {
                return mine.allSatisfy { PolicyGround($0) != ground || other.contains($0) }
            }
            return fits[later][ground]?.isSubset(of: taken) ?? (taken.count == samples.count)
        }
    }

    private static func fitting(_ conditions: [PolicyCondition], _ samples: [PurchaseFacts]) -> Set<Int> {
        Set(samples.indices.filter { index in conditions.allSatisfy { $0.holds(samples[index]) } })
    }
}

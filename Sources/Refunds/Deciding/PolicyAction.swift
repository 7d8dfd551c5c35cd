import AppStore

/// What a rule answers.
package indirect enum PolicyAction: Sendable, Hashable {
    case prefer(Decision.Preference)
    /// The facts, without a preference.
    case factsOnly
    case withhold(Withholding)
    /// A person is asked; if nobody answers in time, the other action is taken by itself.
    case hold(otherwise: PolicyAction)

    /// What is taken where no person is asked, or none answered.
    package var fallback: PolicyAction {
        if case .hold(let otherwise) = self { otherwise.fallback } else { self }
    }

    /// What it comes to where no person is asked, or none answered.
    package var answer: Decision.Answer { Decision(fallback, row: nil, situation: "", saw: []).answer }

    package var holds: Bool { if case .hold = self { true } else { false } }

    /// As it is written in a policy; read back by `PolicyText`.
    package var text: String {
        switch self {
        case .prefer(let preference): "prefer \(preference.rawValue)"
        case .factsOnly: "send facts only"
        case .withhold(.deliveryUnreported): "send nothing until delivery is reported"
        case .withhold: "send nothing"
        case .hold(let otherwise): "ask a person, else \(otherwise.text)"
        }
    }
}

import Refunds

extension Words {
    /// What a decision asks Apple for.
    static func answer(_ decision: Decision) -> String { answer(decision.answer) }

    static func answer(_ answer: Decision.Answer) -> String {
        switch answer {
        case .refundInFull: "ask for a refund in full (GRANT_FULL)"
        case .refundInPart: "ask for a refund in part (GRANT_PRORATED)"
        case .decline: "ask to decline (DECLINE)"
        case .factsOnly: "send the facts, without a preference"
        case .nothing: "send nothing"
        }
    }

    /// What Apple can do with the money, what is decided first.
    static let outcomes: [CaseOutcome] = {
        let first: [CaseOutcome] = [.refunded, .declined, .reversed]
        return first + CaseOutcome.allCases.filter { !first.contains($0) }
    }()

    /// What Apple can be told.
    static let preferences: [Decision.Answer] = [.refundInFull, .refundInPart, .decline, .factsOnly]

    /// The same in a word or two.
    static func preference(_ answer: Decision.Answer) -> String {
        switch answer {
        case .refundInFull: "Refund in full"
        case .refundInPart: "Refund in part"
        case .decline: "Decline"
        case .factsOnly: "Facts only"
        case .nothing: "Nothing"
        }
    }

    /// What a rule of a policy does.
    static func action(_ action: PolicyAction) -> String {
        switch action {
        case .withhold(.deliveryUnreported): "send nothing until delivery is reported"
        case .hold(let otherwise): "ask a person; if nobody answers, \(self.action(otherwise))"
        case .prefer, .factsOnly, .withhold: answer(action.answer)
        }
    }

    /// What a person chooses.
    static func choice(_ choice: HeldAnswer.Choice) -> String {
        switch choice {
        case .decline: answer(.decline)
        case .grantFull: answer(.refundInFull)
        case .grantProrated: answer(.refundInPart)
        case .factsOnly: answer(.factsOnly)
        case .nothing: answer(.nothing)
        }
    }

    /// With a capital letter.
    ///
    /// A name at its beginning, such as a bundle ID, stays to the letter.
    static func sentence(_ text: String) -> String {
        let first = text.prefix { !$0.isWhitespace }
        let isName = first.dropLast().contains { $0 == "." || $0 == "_" || $0.isUppercase || $0.isNumber }
        return isName ? text : text.prefix(1).uppercased() + text.dropFirst()
    }

    static func meaning(_ state: RoundState) -> String {
        CaseState(rawValue: state.rawValue).map(meaning) ?? "A newer request exists; only the newest is answered."
    }

    static func result(_ result: CaseStory.Attempt.Result?) -> String {
        switch result {
        case .accepted: "Accepted"
        case .refused: "Refused"
        case .retry: "Try again"
        case .credentials: "Key refused"
        case .unknown: "Unknown"
        case .notSent: "Not sent"
        case nil: "In flight"
        }
    }

    static func tone(_ result: CaseStory.Attempt.Result?) -> Tone {
        switch result {
        case .accepted: .good
        case .refused, .credentials: .bad
        case .retry, .unknown, .notSent: .attention
        case nil: .active
        }
    }

    static func attempt(_ attempt: CaseStory.Attempt) -> String {
        switch attempt.result {
        case .accepted: "Apple accepted our reply"
        case .refused: "Apple refused our reply for good"
        case .retry: "Apple, or the way to Apple, failed for now"
        case .credentials: "Apple did not accept our key"
        case .unknown: "Sent, and no answer came: it may have been received"
        case .notSent: "Begun, but not handed to the network"
        case nil: "Being sent"
        }
    }
}

import AppStore

extension Decision {
    /// What a decision comes to, in one word for pages.
    package enum Answer: String, Hashable, Sendable, Codable {
        case refundInFull, refundInPart, decline
        /// The facts, without a preference.
        case factsOnly
        /// Nothing is sent.
        case nothing
    }

    package var answer: Answer {
        if withheld != nil { return .nothing }
        return switch preference {
        case .grantFull: .refundInFull
        case .grantProrated: .refundInPart
        case .decline: .decline
        case nil: .factsOnly
        }
    }
}

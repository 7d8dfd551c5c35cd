import AppStore

extension Decision {
    /// What a decision comes to, in one word; stored and printed by its raw value.
    package enum Answer: String, Hashable, Sendable, Codable, CaseIterable {
        case refundInFull = "GRANT_FULL"
        case refundInPart = "GRANT_PRORATED"
        case decline = "DECLINE"
        /// The facts, without a preference.
        case factsOnly = "facts-only"
        /// Nothing is sent.
        case nothing

        init(_ preference: Preference?) {
            self =
                switch preference {
                case .grantFull: .refundInFull
                case .grantProrated: .refundInPart
                case .decline: .decline
                case nil: .factsOnly
                }
        }
    }

    package var answer: Answer { withheld == nil ? Answer(preference) : .nothing }

    /// What the rules say, where a lot kept their preference back.
    package var asked: Answer { heldOut.map { Answer($0) } ?? answer }
}

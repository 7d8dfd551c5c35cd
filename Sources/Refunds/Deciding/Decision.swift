package import AppStore
import FoundationEssentials
package import Time

/// What is answered to a request and why, with the values that were seen. Kept with the case.
package struct Decision: Sendable, Hashable, Codable {
    /// None is stated by leaving it out.
    package typealias Preference = ConsumptionFacts.RefundPreference

    /// A value as it was seen.
    package struct Observation: Sendable, Hashable, Codable {
        /// Apple's name for it where there is one.
        package let name: String
        /// Nil: unknown.
        package let value: String?
        /// For people: who says so.
        package let source: String?
        package let at: Moment?

        package init(_ name: String, _ value: String?, source: String? = nil, at: Moment? = nil) {
            self.name = name
            self.value = value
            self.source = source
            self.at = at
        }

        /// The source of what a condition asked for: with its value it repeats what was known.
        static let ofRule = "looked at by the rule"

        package var isOfRule: Bool { source == Self.ofRule }

        private enum CodingKeys: String, CodingKey { case name, value, source, at }

        package init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(String.self, forKey: .name)
            value = try members.decodeIfPresent(String.self, forKey: .value)
            source = try members.decodeIfPresent(String.self, forKey: .source)
            at = try members.decodeIfPresent(Int64.self, forKey: .at).map(Moment.init(milliseconds:))
        }

        package func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(name, forKey: .name)
            try members.encodeIfPresent(value, forKey: .value)
            try members.encodeIfPresent(source, forKey: .source)
            try members.encodeIfPresent(at?.milliseconds, forKey: .at)
        }
    }

    /// Something that was not known, with what would have been answered if it had been.
    package struct Missing: Sendable, Hashable, Codable {
        package struct Other: Sendable, Hashable, Codable {
            /// What it might have been; for people.
            package let value: String
            package let answer: Answer
            /// A person would have been asked, and `answer` gone out if nobody had answered; nil: not.
            package var asks: Bool?
        }

        /// Apple's name for it where there is one.
        package let name: String
        package let others: [Other]
    }

    /// A person is asked first.
    package struct Hold: Sendable, Hashable, Codable {
        /// What is done if nobody answers in time, as policies write it.
        package let otherwise: String

        package init(otherwise: String) { self.otherwise = otherwise }
    }

    /// Somebody fixed what this customer is answered.
    package struct Override: Sendable, Hashable, Codable {
        package let reason: String
        /// Their name as it was then.
        package let author: String

        package init(reason: String, author: String) {
            self.reason = reason
            self.author = author
        }
    }

    /// The rule of the policy that fitted first; nil where the decision was made before any rule.
    package let row: Int?
    /// The situation the row speaks of, or why no rule was asked; for people.
    package let situation: String
    /// Set: nothing is sent.
    package let withheld: Withholding?
    package let preference: Preference?
    package let saw: [Observation]
    /// Sentences that a person should read beside the answer.
    package var remarks: [String]
    /// The app's policy of that version; nil: what is answered where there is none.
    package var policyVersion: Int?
    /// Set: what else is said here is what goes out if nobody answers.
    package var hold: Hold?
    /// Set: decided by this in place of the rules.
    package var override: Override?
    /// The rules' preference, kept back by lot so that it shows what a preference does.
    package var heldOut: Preference?
    /// What was not known, and what it would have changed; nil where nobody looked.
    package var missing: [Missing]?

    package init(
        row: Int?, situation: String, withheld: Withholding? = nil, preference: Preference? = nil,
        saw: [Observation], remarks: [String] = [], policyVersion: Int? = nil, hold: Hold? = nil
    ) {
        self.row = row
        self.situation = situation
        self.withheld = withheld
        self.preference = preference
        self.saw = saw
        self.remarks = remarks
        self.policyVersion = policyVersion
        self.hold = hold
    }

    /// - Parameter action: one that asks nobody.
    init(_ action: PolicyAction, row: Int?, situation: String, saw: [Observation], remarks: [String] = []) {
        switch action.fallback {
        case .prefer(let preference):
            self.init(row: row, situation: situation, preference: preference, saw: saw, remarks: remarks)
        case .withhold(let reason):
            self.init(row: row, situation: situation, withheld: reason, saw: saw, remarks: remarks)
        case .factsOnly, .hold:
            self.init(row: row, situation: situation, saw: saw, remarks: remarks)
        }
    }
}

extension Decision {
    /// The same without a preference, and why.
    func withoutPreference(_ remark: String) -> Decision {
        var plain = Decision(
            row: row, situation: situation, withheld: withheld, saw: saw, remarks: remarks + [remark],
            policyVersion: policyVersion, hold: hold)
        plain.override = override
        return plain
    }

    /// As cases keep it; nil for what a newer release wrote in a way that this one cannot read.
    init?(json: String) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = read
    }
}

extension ConsumptionFacts.RefundPreference: Codable {}

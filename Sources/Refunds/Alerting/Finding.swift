package import FoundationEssentials
package import Tenants

/// What a rule found to be so at one moment. Pure: made from facts, again in each round.
package struct Finding: Sendable, Hashable {
    package var rule: IncidentRule
    /// What it is about; stays the same while it lasts, so that one cause is one incident. Never a customer's data.
    package var cause: String
    package var app: AppID?
    package var severity: Severity
    /// What is said of it, in whatever language.
    package var words: IncidentWords
    /// The first of the cases that it touches, soonest deadline first; at most `casesMax`.
    package var cases: [UUID]
    /// How many it touches; may be more than are named.
    package var caseCount: Int
    /// Milliunits by currency that may be lost.
    package var money: [String: Int64]

    package static let casesMax = 10
    /// Of symptoms that it explains, so many are told.
    private static let explainedMax = 3

    package init(
        _ rule: IncidentRule, cause: String, app: AppID? = nil, _ severity: Severity, _ sentence: IncidentSentence,
        cases: [UUID] = [], caseCount: Int? = nil, money: [String: Int64] = [:]
    ) {
        self.rule = rule
        self.cause = cause
        self.app = app
        self.severity = severity
        words = IncidentWords(sentence)
        self.cases = Array(cases.prefix(Self.casesMax))
        self.caseCount = caseCount ?? cases.count
        self.money = money
    }

    /// In English, as pages show it.
    package var said: SaidOfIncident { words.said(by: EnglishWording.ofPages) }

    /// Deadlines and failing calls stand under the open cause that explains them; alone they stand for themselves.
    ///
    /// A cause that holds cases up is as bad as the worst of them. The order of what is left stays.
    package static func fold(_ findings: [Finding]) -> [Finding] {
        var left = findings
        for rule in [IncidentRule.deadlineAtRisk, .repliesFailing] {
            for (index, symptom) in left.enumerated().reversed() where symptom.rule == rule {
                let cause = left.indices.first { other in
                    other != index && left[other].rule.isCauseOfDelay && left[other].rule != rule
                        && (left[other].app == nil || left[other].app == symptom.app)
                }
                guard let cause else { continue }
                left[cause].take(symptom)
                left.remove(at: index)
            }
        }
        return calm(left)
    }

    /// From so many findings of one rule on, one incident speaks for all of them.
    static let stormFrom = 6

    private static func calm(_ findings: [Finding]) -> [Finding] {
        let counts = Dictionary(grouping: findings, by: \.rule).mapValues(\.count)
        var storms: [IncidentRule: Finding] = [:]
        var left: [Finding] = []
        for finding in findings {
            guard let count = counts[finding.rule], count >= stormFrom else {
                left.append(finding)
                continue
            }
            guard var storm = storms[finding.rule] else {
                storms[finding.rule] = storm(from: finding, count)
                continue
            }
            let sum = storm.caseCount + finding.caseCount
            storm.take(finding)
            storm.caseCount = sum
            storms[finding.rule] = storm
        }
        return left + storms.values.sorted { $0.rule.rawValue < $1.rule.rawValue }
    }

    /// What one incident says for many: the first of them, and that it is not alone.
    private static func storm(from first: Finding, _ count: Int) -> Finding {
        var storm = first
        storm.cause = "many"
        storm.app = nil
        if case .channelFailing(let name, let kind, let isOff, let said) = first.words.sentence {
            storm.words.sentence = .channelsFailing(count: count, name: name, kind: kind, isOff: isOff, said: said)
        } else {
            storm.words.count = count
        }
        return storm
    }

    private mutating func take(_ other: Finding) {
        severity = max(severity, other.severity)
        let new = other.cases.filter { !cases.contains($0) }
        cases = Array((cases + new).prefix(Self.casesMax))
        // Both count the same cases, as far as they touch the same ones.
        caseCount = max(caseCount, other.caseCount)
        for (currency, amount) in other.money { money[currency] = max(money[currency] ?? 0, amount) }
        if other.rule == .deadlineAtRisk {
            words.explained = Array((words.explained + [other.words.sentence]).prefix(Self.explainedMax))
        }
    }
}

package import FoundationEssentials

/// A policy laid over cases that rules decided already: which rules fit, and what would be answered otherwise.
///
/// A trial of a whole past is stored as JSON, so its members' names are kept.
package struct PolicyTrial: Sendable, Codable {
    /// One case that would be answered otherwise.
    package struct Change: Sendable, Identifiable, Codable {
        /// The case.
        package let id: UUID
        package let productID: String
        package let was: Decision.Answer
        package let now: Decision.Answer
        /// By which rule, from 1.
        package let rule: Int
        package let price: Int64?
        package let currency: String?
        /// What Apple did with the money meanwhile.
        package let outcome: CaseOutcome
    }

    /// All that would change from one answer to another.
    package struct Move: Sendable, Codable {
        package let was: Decision.Answer
        package let now: Decision.Answer
        package internal(set) var cases = 0
        /// Their price, in milliunits by currency.
        package internal(set) var money: [String: Int64] = [:]
        /// How many of them Apple decided how.
        package internal(set) var outcomes: [String: Int] = [:]

        /// How many Apple decided so.
        package func count(_ outcome: CaseOutcome) -> Int { outcomes[outcome.rawValue] ?? 0 }
    }

    package init() {}

    /// Cases that rules decided.
    package internal(set) var looked = 0
    /// How many of them each rule fits first, by its number.
    package internal(set) var fits: [Int: Int] = [:]
    /// How many would wait for a person.
    package internal(set) var asks = 0
    /// How many would be answered otherwise.
    package internal(set) var changed = 0
    /// Those, by what they would change from and to.
    package internal(set) var moves: [Move] = []
    /// Some of those, the newest of each kind.
    package internal(set) var changes: [Change] = []
    /// What somebody should think about before it goes live.
    package internal(set) var warnings: [String] = []

    /// What is said of few cases in place of warnings; nil where there are none, or enough.
    package var fewCases: String? {
        guard looked > 0, looked < PolicyWarnings.casesMin else { return nil }
        return
            "From \(PolicyWarnings.casesMin) requests on, rules that fit none of them are pointed out here. With \(looked), that says little."
    }

    /// Cases that a trial on the page looks at; a replay looks at all.
    package static let casesMax = 1000
    /// Cases that are listed, and how many of one kind.
    package static let changesMax = 100
    private static let changesOfKindMax = 25
    private static let currenciesMax = 300

    /// The price of all that would change, in milliunits by currency.
    package var money: [String: Int64] {
        moves.reduce(into: [:]) { sum, move in sum.merge(move.money, uniquingKeysWith: Self.plus) }
    }

    mutating func add(_ past: PastDecision, by policy: Policy) {
        guard let rule = policy.rule(for: past.facts) else { return }
        looked += 1
        fits[rule.number, default: 0] += 1
        if rule.action.holds { asks += 1 }
        let now = rule.action.answer
        guard now != past.answer else { return }
        changed += 1
        let seen = past.facts.circumstances
        let index: Int
        if let known = moves.firstIndex(where: { $0.was == past.answer && $0.now == now }) {
            index = known
        } else {
            index = moves.count
            moves.append(Move(was: past.answer, now: now))
        }
        moves[index].cases += 1
        moves[index].outcomes[past.outcome.rawValue, default: 0] += 1
        if let price = seen.price, let currency = seen.currency,
            moves[index].money[currency] != nil || moves[index].money.count < Self.currenciesMax
        {
            moves[index].money[currency] = Self.plus(moves[index].money[currency] ?? 0, price)
        }
        if moves[index].cases <= Self.changesOfKindMax, changes.count < Self.changesMax {
            changes.append(
                Change(
                    id: past.caseID, productID: seen.product ?? "", was: past.answer, now: now, rule: rule.number,
                    price: seen.price, currency: seen.currency, outcome: past.outcome))
        }
    }

    /// Sums of what others wrote stop at the greatest number there is.
    private static func plus(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// When all have been looked at: what should be thought about before it goes live.
    mutating func conclude(_ policy: Policy) {
        moves.sort { ($0.cases, $1.was.rawValue, $1.now.rawValue) > ($1.cases, $0.was.rawValue, $0.now.rawValue) }
        warnings = PolicyWarnings(policy: policy, trial: self).all
    }
}

extension CaseOutcome: Codable {}

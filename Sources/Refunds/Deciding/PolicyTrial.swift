import AppStore
package import FoundationEssentials
import Postgres
import Tenants
import Time

/// A policy laid over requests that were decided already: which rules fit, and what would be answered otherwise.
package struct PolicyTrial: Sendable {
    /// One request that would be answered otherwise.
    package struct Change: Sendable, Identifiable {
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

    package init() {}

    /// Requests that the rules decided, the newest ones.
    package internal(set) var looked = 0
    /// How many of them each rule fits first, by its number.
    package internal(set) var fits: [Int: Int] = [:]
    /// How many would be answered otherwise.
    package internal(set) var changed = 0
    /// The newest of those.
    package internal(set) var changes: [Change] = []
    /// The price of those, in milliunits by currency.
    package internal(set) var money: [String: Int64] = [:]
    /// What somebody should think about before it goes live.
    package internal(set) var warnings: [String] = []

    /// Requests that a trial looks at.
    package static let casesMax = 1000
    package static let changesMax = 50

    mutating func add(_ past: PastDecision, by policy: Policy) {
        guard let rule = policy.rule(for: past.facts) else { return }
        looked += 1
        fits[rule.number, default: 0] += 1
        let now = rule.action.answer
        guard now != past.answer else { return }
        changed += 1
        if let price = past.facts.circumstances.price, let currency = past.facts.circumstances.currency {
            money[currency, default: 0] += price
        }
        if changes.count < Self.changesMax {
            changes.append(
                Change(
                    id: past.caseID, productID: past.facts.circumstances.product ?? "", was: past.answer, now: now,
                    rule: rule.number, price: past.facts.circumstances.price,
                    currency: past.facts.circumstances.currency, outcome: past.outcome))
        }
    }

    /// What can be said when all have been looked at.
    mutating func conclude(_ policy: Policy) {
        for rule in policy.rules {
            let earlier = policy.rules.first { other in
                other.number < rule.number && Set(other.conditions).isSubset(of: Set(rule.conditions))
            }
            if let earlier {
                warnings.append(
                    "Rule \(rule.number) never fits: whatever it looks for is taken by rule \(earlier.number) before it."
                )
            } else if looked > 0, fits[rule.number] == nil, !rule.conditions.isEmpty {
                warnings.append("Rule \(rule.number) fits none of the last \(looked) requests.")
            }
        }
        let answers = Set(policy.rules.map { $0.action.fallback })
        if answers == [.prefer(.decline)] {
            warnings.append(Self.declinesAll)
        } else if looked >= 20,
            fits.allSatisfy({ number, _ in policy.rules[number - 1].action.fallback == .prefer(.decline) })
        {
            warnings.append("Every one of the last \(looked) requests would be declined. " + Self.declinesAll)
        }
    }

    private static let declinesAll =
        "A preference that never varies is discounted, and declined customers may go to their bank."
}

/// What was known of one request and what was answered, read back from the case.
struct PastDecision: Sendable {
    let caseID: UUID
    let facts: PurchaseFacts
    let answer: Decision.Answer
    let outcome: CaseOutcome
}

extension PastDecision {
    /// The newest requests of an app that its rules decided.
    static func newest(of app: App, limit: Int) -> SQL {
        """
        select c.case_id, c.environment, c.outcome, f.reason, r.decision, r.decided_at, r.deadline, r.requested_at,
          t.transaction_id, t.original_transaction_id, t.product_id, t.customer, t.price, t.currency, t.fields
        from (
          select case_id, environment, outcome, transaction_id, listed_at
          from refunds.cases
          where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and deadline is not null
          order by listed_at desc, case_id desc
          limit \(limit)) c
        join lateral (
          select round_id, decision, decided_at, deadline, requested_at
          from refunds.rounds
          where tenant_id = \(app.tenant.rawValue) and case_id = c.case_id and decision is not null
          order by requested_at desc
          limit 1) r on true
        join refunds.transactions t
          on t.tenant_id = \(app.tenant.rawValue) and t.app_id = \(app.id.rawValue)
          and t.environment = c.environment and t.transaction_id = c.transaction_id
        left join refunds.facts f
          on f.tenant_id = \(app.tenant.rawValue) and f.case_id = c.case_id and f.fact_id = r.round_id
        order by c.listed_at desc, c.case_id desc
        """
    }

    /// Nil where no rule was asked: no policy changes that.
    init?(_ row: Row) throws {
        let text: String = try row("decision")
        guard let decision = Decision(json: text), decision.row != nil else { return nil }
        let outcome: String = try row("outcome")
        caseID = try row("case_id")
        self.outcome = CaseOutcome(rawValue: outcome) ?? .pending
        answer = decision.answer
        let transaction = StoredTransaction(
            id: try row("transaction_id"), original: try row("original_transaction_id"),
            product: try row("product_id"), customer: try row("customer"), price: try row("price"),
            currency: try row("currency"), fields: try row("fields"))
        let payload = try transaction.payload()
        var circumstances = FactsReader.circumstances(
            payload, transaction, environment: try Environment(stored: row("environment")))
        let (decidedAt, deadline): (Moment, Moment) = (try row("decided_at"), try row("deadline"))
        circumstances.timeLeft = deadline - decidedAt
        let seen = Dictionary(decision.saw.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        circumstances.earlierRequests = seen["earlier requests"]?.value.flatMap { Int($0) }
        circumstances.earlierRefunds = seen["earlier refunds"]?.value.flatMap { Int($0) }
        if circumstances.isCustomerKnown { circumstances.spent = Self.spent(decision.saw) }
        let requestedAt: Moment = try row("requested_at")
        let reason: String? = try row("reason")
        facts = PurchaseFacts(
            type: payload.type, ownership: payload.inAppOwnershipType,
            isAdvancedCommerce: payload.advancedCommerceInfo != nil, reason: reason.map(Known.init),
            requestSignedAt: requestedAt, consent: .given(at: requestedAt, changeNo: 0),
            delivery: Self.reported(seen["deliveryStatus"]).flatMap(DeliveryStatus.init).map { Evidence($0, .setting) },
            share: seen["consumptionPercentage"]?.value.flatMap { Int($0) }.map { Evidence($0, .setting) },
            circumstances: circumstances)
    }

    /// A delivery that only a setting spoke for was not reported.
    private static func reported(_ seen: Decision.Observation?) -> String? {
        seen?.source == EvidenceSource.setting.text ? nil : seen?.value
    }

    private static func spent(_ saw: [Decision.Observation]) -> [String: Int64] {
        var spent: [String: Int64] = [:]
        for seen in saw where seen.name.hasPrefix("spent in ") {
            let words = (seen.value ?? "").split(separator: " ")
            guard words.count == 2, let amount = CurrencyDecimals.milliunits(String(words[0])) else { continue }
            spent[String(words[1])] = amount
        }
        return spent
    }
}

import FoundationEssentials
import Postgres
import Time

/// What was known of one case and what was answered, as it was kept with the decision.
struct PastDecision: Sendable {
    let caseID: UUID
    let facts: PurchaseFacts
    let answer: Decision.Answer
    /// What Apple did with the money meanwhile.
    let outcome: CaseOutcome

    init(caseID: UUID, facts: PurchaseFacts, answer: Decision.Answer, outcome: CaseOutcome) {
        self.caseID = caseID
        self.facts = facts
        self.answer = answer
        self.outcome = outcome
    }

    /// A row of `DecisionStore.page`, read by position: there are a million of them.
    init(_ row: Row) throws {
        let (answer, outcome): (String, String) = (try row[3], try row[4])
        self.init(
            caseID: try row[0], facts: DecisionFacts.read(try row[2]),
            answer: Decision.Answer(rawValue: answer) ?? .nothing, outcome: CaseOutcome(rawValue: outcome) ?? .pending)
    }

    /// Its place in the list.
    static func place(of row: Row) throws -> ListCursor { ListCursor(at: try row[1], id: try row[0]) }
}

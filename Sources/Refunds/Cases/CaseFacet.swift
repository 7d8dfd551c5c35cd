/// Environment, state, outcome and reason of a case in one number, as the stored column `facet` has it.
///
/// A filter is the list of facets it allows, and a page is a merge over them: any combination of
/// filters reads a handful of index entries per facet and nothing else.
enum CaseFacet {
    /// Apple's reasons in the order of the column's expression; unknown ones share 7.
    static let reasons = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    ]

    static func number(
        isSandbox: Bool, state: CaseState, outcome: CaseOutcome, reason: CaseFilter.Reason
    ) -> Int16 {
        let state = CaseState.allCases.firstIndex(of: state).map { $0 + 1 } ?? 0
        let outcome = CaseOutcome.allCases.firstIndex(of: outcome) ?? 0
        let reason =
            switch reason {
            case .notGiven: 0
            case .given(let text): reasons.firstIndex(of: text).map { $0 + 1 } ?? 7
            }
        return Int16((isSandbox ? 1024 : 0) + state * 64 + outcome * 8 + reason)
    }

    /// Every facet there can be.
    static let all = product(
        [false, true], CaseState.allCases, CaseOutcome.allCases,
        [.notGiven] + reasons.map { .given($0) } + [.given("a reason nobody knew yet")])

    /// The facets a filter allows; nil where it allows all, so that the plain index serves.
    static func allowed(by filter: CaseFilter) -> [Int16]? {
        if filter.states.isEmpty && filter.outcomes.isEmpty && filter.reason == nil && filter.isSandbox == nil {
            return nil
        }
        let sandbox: [Bool] = filter.isSandbox.map { [$0] } ?? [false, true]
        let states = filter.states.isEmpty ? CaseState.allCases : CaseState.allCases.filter(filter.states.contains)
        let outcomes =
            filter.outcomes.isEmpty ? CaseOutcome.allCases : CaseOutcome.allCases.filter(filter.outcomes.contains)
        let reasons: [CaseFilter.Reason] =
            filter.reason.map { [$0] }
            ?? [.notGiven] + Self.reasons.map { .given($0) } + [.given("a reason nobody knew yet")]
        return product(sandbox, states, outcomes, reasons)
    }

    private static func product(
        _ sandbox: [Bool], _ states: [CaseState], _ outcomes: [CaseOutcome], _ reasons: [CaseFilter.Reason]
    ) -> [Int16] {
        var facets: [Int16] = []
        for isSandbox in sandbox {
            for state in states {
                for outcome in outcomes {
                    for reason in reasons {
                        facets.append(number(isSandbox: isSandbox, state: state, outcome: outcome, reason: reason))
                    }
                }
            }
        }
        return facets
    }
}

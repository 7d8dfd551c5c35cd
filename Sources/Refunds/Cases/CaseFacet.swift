/// Environment, state, outcome and reason of a case, and whether somebody looks after it, in one number, as the stored column
/// `facet` has it.
///
/// A filter is the list of facets it allows, and a page is a merge over them: any combination of
/// filters reads a handful of index entries per facet and nothing else.
enum CaseFacet {
    /// Apple's reasons in the order of the column's expression; unknown ones share 7.
    static let reasons = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    ]

    static func number(
        isAssigned: Bool = false, isSandbox: Bool, state: CaseState, outcome: CaseOutcome, reason: CaseFilter.Reason
    ) -> Int16 {
        let state = CaseState.allCases.firstIndex(of: state).map { $0 + 1 } ?? 0
        let outcome = CaseOutcome.allCases.firstIndex(of: outcome) ?? 0
        let reason =
            switch reason {
            case .notGiven: 0
            case .given(let text): reasons.firstIndex(of: text).map { $0 + 1 } ?? 7
            }
        return Int16((isAssigned ? 2048 : 0) + (isSandbox ? 1024 : 0) + state * 64 + outcome * 8 + reason)
    }

    private static let everyReason: [CaseFilter.Reason] =
        [.notGiven] + reasons.map { .given($0) } + [.given("a reason nobody knew yet")]

    /// Every facet there can be.
    static let all = product([false, true], [false, true], CaseState.allCases, CaseOutcome.allCases, everyReason)

    /// The facets a filter allows; nil where it allows all, so that the plain index serves.
    static func allowed(by filter: CaseFilter) -> [Int16]? {
        // Somebody's cases have an index of their own.
        if filter.states.isEmpty && filter.outcomes.isEmpty && filter.reason == nil && filter.isSandbox == nil
            && filter.assignment != .nobody
        {
            return nil
        }
        return product(
            filter.assignment.map { [$0 != .nobody] } ?? [false, true], filter.isSandbox.map { [$0] } ?? [false, true],
            filter.states.isEmpty ? CaseState.allCases : CaseState.allCases.filter(filter.states.contains),
            filter.outcomes.isEmpty ? CaseOutcome.allCases : CaseOutcome.allCases.filter(filter.outcomes.contains),
            filter.reason.map { [$0] } ?? everyReason)
    }

    private static func product(
        _ assigned: [Bool], _ sandbox: [Bool], _ states: [CaseState], _ outcomes: [CaseOutcome],
        _ reasons: [CaseFilter.Reason]
    ) -> [Int16] {
        var facets: [Int16] = []
        for isAssigned in assigned {
            for isSandbox in sandbox {
                for state in states {
                    for outcome in outcomes {
                        for reason in reasons {
                            facets.append(
                                number(
                                    isAssigned: isAssigned, isSandbox: isSandbox, state: state, outcome: outcome,
                                    reason: reason))
                        }
                    }
                }
            }
        }
        return facets
    }
}

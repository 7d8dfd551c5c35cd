import Tenants

/// Environment, kind and state of a commerce request in one number, as the column `facet` has it: a filter is the list
/// of facets that it allows, and a page of the list is a merge over them.
enum CommerceFacet {
    /// In the order of v0008; new words join at the end.
    static let kinds: [CommerceKind] = [.refund, .revoke, .cancel]
    static let states: [CommerceRequestState] = [
        .draft, .awaitingApproval, .queued, .sending, .accepted, .refunded, .declined, .failed, .pendingAtApple,
        .cancelled,
    ]

    static func number(_ environment: AppEnvironment, _ kind: Int, _ state: Int) -> Int16 {
        Int16((environment == .sandbox ? 48 : 0) + kind * 16 + state)
    }

    /// Nil: the filter allows every facet.
    static func allowed(by filter: CommerceFilter) -> [Int16]? {
        if filter.states.isEmpty, filter.kind == nil, filter.environment == nil { return nil }
        var allowed: [Int16] = []
        for environment in AppEnvironment.allCases where filter.environment.map({ $0 == environment }) ?? true {
            for (kind, word) in kinds.enumerated() where filter.kind.map({ $0 == word }) ?? true {
                for (state, word) in states.enumerated() where filter.states.isEmpty || filter.states.contains(word) {
                    allowed.append(number(environment, kind, state))
                }
            }
        }
        return allowed
    }
}

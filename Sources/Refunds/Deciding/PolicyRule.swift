/// One line of a policy.
package struct PolicyRule: Sendable, Hashable {
    /// From 1; what people cite.
    package let number: Int
    /// All of them must be so; none: it fits always.
    package let conditions: [PolicyCondition]
    package let action: PolicyAction

    package init(_ number: Int, _ conditions: [PolicyCondition], _ action: PolicyAction) {
        self.number = number
        self.conditions = conditions
        self.action = action
    }

    package func fits(_ facts: PurchaseFacts) -> Bool { conditions.allSatisfy { $0.holds(facts) } }

    /// What it looks for, as it is written.
    package var situation: String {
        conditions.isEmpty ? "everything else" : conditions.map(\.text).joined(separator: " and ")
    }

    /// As it is written in a policy; read back by `PolicyText`.
    package var text: String {
        conditions.isEmpty ? "otherwise \(action.text)" : "if \(situation) then \(action.text)"
    }
}

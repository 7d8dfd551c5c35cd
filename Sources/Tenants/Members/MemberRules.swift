/// Who may change whom.
package enum MemberRules {
    /// Admins change everybody but owners; owners everybody.
    package static func mayChange(_ target: Role, as actor: Role) -> Bool {
        actor == .owner || (actor == .admin && target < .owner)
    }

    /// Roles that somebody may give to others: none above their own.
    package static func grantable(by actor: Role) -> [Role] {
        actor < .admin ? [] : Role.allCases.filter { $0 <= actor }
    }
}

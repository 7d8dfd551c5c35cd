package import Time

/// A member as the page of people shows them.
package struct MemberLine: Hashable, Sendable {
    package let person: Person
    /// What the person is called; nil where nobody said.
    package let name: String?
    package let role: Role
    package let hasPassword: Bool
    /// A code generator or a passkey that was used once.
    package let hasSecondFactor: Bool
    /// When a session of theirs was used last, to some minutes; nil where there is none.
    package let seenAt: Moment?
    package let since: Moment

    package init(
        person: Person, name: String? = nil, role: Role, hasPassword: Bool, hasSecondFactor: Bool, seenAt: Moment?,
        since: Moment
    ) {
        self.person = person
        self.name = name
        self.role = role
        self.hasPassword = hasPassword
        self.hasSecondFactor = hasSecondFactor
        self.seenAt = seenAt
        self.since = since
    }
}

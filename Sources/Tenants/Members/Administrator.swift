/// Somebody who changes something for others, and from where.
package struct Administrator: Hashable, Sendable {
    package let person: PersonID
    /// Of the network, as text.
    package let address: String?

    package init(_ person: PersonID, address: String?) {
        self.person = person
        self.address = address
    }

    var actor: AuditEntry.Actor { .person(person) }
}

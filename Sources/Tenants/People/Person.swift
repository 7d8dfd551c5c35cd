package import FoundationEssentials

/// Names a person.
package struct PersonID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UUID
    package init(rawValue: UUID) { self.rawValue = rawValue }
    package var description: String { "person \(rawValue.uuidString.lowercased())" }
}

/// Somebody who signs in. Belongs to no tenant: one person may be a member of several.
package struct Person: Hashable, Sendable {
    package let id: PersonID
    package let email: String
    /// Manages tenants and sees no case.
    package let isInstallation: Bool

    package init(id: PersonID, email: String, isInstallation: Bool) {
        self.id = id
        self.email = email
        self.isInstallation = isInstallation
    }
}

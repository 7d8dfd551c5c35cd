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

    /// 1 to 100 characters, no control characters, no blank at an end.
    package static func isName(_ text: String) -> Bool {
        (1...100).contains(text.count) && text.utf8.count <= 400
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }

    /// One at-sign with something on both sides, no spaces or control characters, at most 254 bytes.
    /// More is for the mail server to judge.
    package static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.count <= 254
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7F...0xA0).contains($0.value) }
    }
}

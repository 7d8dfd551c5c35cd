package import FoundationEssentials
package import Time

/// Names a stored signing key.
package struct SigningKeyID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UUID
    package init(rawValue: UUID) { self.rawValue = rawValue }
    package var description: String { "signing key \(rawValue.uuidString.lowercased())" }
}

/// All of a signing key that is not secret.
package struct SigningKeyInfo: Hashable, Sendable {
    package let tenant: TenantID
    package let id: SigningKeyID
    /// Apple's key ID (`kid`): ten capital letters and digits.
    package let keyID: String
    /// Apple's issuer ID (`iss`), lower case.
    package let issuerID: String
    /// Nil: serves every app of the tenant.
    package let app: AppID?
    /// SHA-256 of the public point, first 16 bytes, as `aa:bb:…`: for comparing by eye.
    package let fingerprint: String
    package let createdAt: Moment

    package init(
        tenant: TenantID, id: SigningKeyID, keyID: String, issuerID: String, app: AppID?, fingerprint: String,
        createdAt: Moment
    ) {
        self.tenant = tenant
        self.id = id
        self.keyID = keyID
        self.issuerID = issuerID
        self.app = app
        self.fingerprint = fingerprint
        self.createdAt = createdAt
    }

    /// Ten capital letters and digits.
    package static func isKeyID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }
}

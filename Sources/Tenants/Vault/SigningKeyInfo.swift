package import FoundationEssentials
package import Time

/// Names a stored signing key.
package struct SigningKeyID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UUID
    package init(rawValue: UUID) { self.rawValue = rawValue }
    package var description: String { "signing key \(rawValue.uuidString.lowercased())" }
}

/// The life of a signing key.
package enum SigningKeyState: String, Sendable, CaseIterable {
    /// Signs. Of several the newest does.
    case active
    /// A newer one took its place; it is kept for a grace time, and signs where Apple refuses the newer one.
    case retiring
    /// Wiped. Its row stays for the calls that name it.
    case retired
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
    package let state: SigningKeyState
    /// The name of the file it came in, where it came in one.
    package let fileName: String?
    /// The person who added it; nil for the command line.
    package let addedBy: PersonID?
    /// The end of the grace time of a retiring key.
    package let retiresAt: Moment?
    package let retiredAt: Moment?
    /// When it last made a token, to the minute; tokens are used for some minutes more.
    package let lastUsedAt: Moment?

    package init(
        tenant: TenantID, id: SigningKeyID, keyID: String, issuerID: String, app: AppID?, fingerprint: String,
        createdAt: Moment, state: SigningKeyState = .active, fileName: String? = nil, addedBy: PersonID? = nil,
        retiresAt: Moment? = nil, retiredAt: Moment? = nil, lastUsedAt: Moment? = nil
    ) {
        self.tenant = tenant
        self.id = id
        self.keyID = keyID
        self.issuerID = issuerID
        self.app = app
        self.fingerprint = fingerprint
        self.createdAt = createdAt
        self.state = state
        self.fileName = fileName
        self.addedBy = addedBy
        self.retiresAt = retiresAt
        self.retiredAt = retiredAt
        self.lastUsedAt = lastUsedAt
    }

    /// Whether it may sign for the app: its own keys do, and those of the whole tenant, but for a rehearsal.
    ///
    /// What a tenant's real key signs must not reach a simulator.
    package func serves(_ app: App) -> Bool { self.app == app.id || (self.app == nil && !app.isRehearsal) }

    /// Ten capital letters and digits.
    package static func isKeyID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }
}

import FoundationEssentials
import Postgres

/// Where a walk over all secrets stands.
struct SecretCursor: Hashable, Sendable {
    let id: UUID
    static let first = SecretCursor(id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

extension SecretBinding {
    /// From a row of secrets joined with signing keys.
    init(_ row: Row) throws {
        owner = .tenant(TenantID(rawValue: try row("tenant_id")))
        secret = try row("secret_id")
        let kind: String = try row("kind")
        guard let known = Kind(rawValue: kind) else { throw EnvelopeError.unknownForm }
        self.kind = known
        let keyID: String? = try row("key_id")
        let point: [UInt8]? = try row("public_key")
        if known == .signingKey {
            guard let keyID, let point else { throw EnvelopeError.unknownForm }
            inner = [Array(keyID.utf8), point]
        }
    }
}

import Crypto
import FoundationEssentials
import Postgres
import Time

/// SQL for sealed signing keys.
enum VaultStore {
    private static let columns: SQL = """
        k.tenant_id, k.signing_key_id, k.key_id, k.issuer_id, k.app_id, k.public_key, k.created_at,
        s.sealed, s.opened_badly_at
        """

    /// The newest active key of the app or of the whole tenant.
    ///
    /// A rehearsal app signs with keys of its own alone: what a tenant's real key signs must not reach a simulator.
    static func newest(of tenant: TenantID, for app: AppID) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and k.state = 'active'
          and (k.app_id = \(app.rawValue)
            or (k.app_id is null and not exists (
              select from tenants.apps a
              where a.tenant_id = k.tenant_id and a.app_id = \(app.rawValue) and a.rehearsal)))
        order by k.created_at desc, k.signing_key_id desc
        limit 1
        """
    }

    static func key(_ id: SigningKeyID, of tenant: TenantID) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and k.signing_key_id = \(id.rawValue)
        """
    }

    static func all(of tenant: TenantID) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and k.state = 'active'
        order by k.created_at desc, k.signing_key_id desc
        limit 200
        """
    }

    static func active(keyID: String, app: AppID?, of tenant: TenantID) -> SQL {
        """
        select signing_key_id
        from tenants.signing_keys
        where tenant_id = \(tenant.rawValue) and key_id = \(keyID) and state = 'active'
          and app_id is not distinct from \(app?.rawValue)
        """
    }

    /// Adds a key after retiring the one with the same key ID and app; true when there was one.
    static func add(
        _ id: SigningKeyID, of tenant: TenantID, keyID: String, issuerID: UUID, app: AppID?, publicPoint: [UInt8],
        sealed: [UInt8], masterKeyID: [UInt8], at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        let before = try await tx.row(active(keyID: keyID, app: app, of: tenant))
        if let before {
            try await retire(SigningKeyID(rawValue: try before("signing_key_id")), of: tenant, in: tx)
        }
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(tenant.rawValue), \(id.rawValue), 'signing-key', \(sealed), \(masterKeyID), \(now))
            """)
        try await tx.execute(
            """
            insert into tenants.signing_keys (tenant_id, signing_key_id, key_id, issuer_id, app_id, public_key, created_at)
            values (\(tenant.rawValue), \(id.rawValue), \(keyID), \(issuerID), \(app?.rawValue), \(publicPoint), \(now))
            """)
        return before != nil
    }

    /// Ends a key: its row stays for the attempts that name it, its sealed form does not.
    static func retire(_ id: SigningKeyID, of tenant: TenantID, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update tenants.signing_keys set state = 'retired'
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(id.rawValue)
            """)
        try await tx.execute(
            """
            update tenants.secrets set sealed = '\\x'
            where tenant_id = \(tenant.rawValue) and secret_id = \(id.rawValue)
            """)
    }
}

/// A signing key as its row has it.
struct StoredKey {
    let info: SigningKeyInfo
    let publicPoint: [UInt8]
    let sealed: [UInt8]
    let openedBadlyAt: Moment?

    init(_ row: Row) throws {
        publicPoint = try row("public_key")
        sealed = try row("sealed")
        openedBadlyAt = try row("opened_badly_at")
        let issuer: UUID = try row("issuer_id")
        let app: Int64? = try row("app_id")
        info = SigningKeyInfo(
            tenant: TenantID(rawValue: try row("tenant_id")), id: SigningKeyID(rawValue: try row("signing_key_id")),
            keyID: try row("key_id"), issuerID: issuer.uuidString.lowercased(), app: app.map(AppID.init(rawValue:)),
            fingerprint: try P256PublicKey(x963: publicPoint).fingerprint, createdAt: try row("created_at"))
    }

    static func binding(tenant: TenantID, id: SigningKeyID, keyID: String, publicPoint: [UInt8]) -> SecretBinding {
        SecretBinding(
            tenant: tenant, secret: id.rawValue, kind: .signingKey, inner: [Array(keyID.utf8), publicPoint])
    }

    var binding: SecretBinding {
        Self.binding(tenant: info.tenant, id: info.id, keyID: info.keyID, publicPoint: publicPoint)
    }

    func open(with keyring: MasterKeyring) throws(VaultError) -> P256Key {
        guard !sealed.isEmpty else { throw .unreadable(info.tenant, info.id, .wiped) }
        let scalar: SecretBytes
        do throws(EnvelopeError) {
            scalar = try Envelope.open(sealed, bound: binding, with: keyring)
        } catch {
            throw .unreadable(info.tenant, info.id, VaultError.trouble(error))
        }
        do {
            return try P256Key(scalar: scalar)
        } catch {
            throw .unreadable(info.tenant, info.id, .damaged)
        }
    }
}

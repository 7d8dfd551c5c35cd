import Crypto
import FoundationEssentials
import Postgres
import Time

/// SQL for sealed signing keys.
enum VaultStore {
    private static let columns: SQL = """
        k.tenant_id, k.signing_key_id, k.key_id, k.issuer_id, k.app_id, k.public_key, k.created_at, k.state,
        k.file_name, k.added_by, k.retires_at, k.retired_at, k.last_used_at, s.sealed, s.opened_badly_at
        """

    /// The same as `SigningKeyInfo.serves`.
    private static func serves(_ app: AppID) -> SQL {
        """
        (k.app_id = \(app.rawValue)
          or (k.app_id is null and not exists (
            select from tenants.apps a
            where a.tenant_id = k.tenant_id and a.app_id = \(app.rawValue) and a.rehearsal)))
        """
    }

    /// The active key that is meant to sign for an app: the newest of its own, else the newest of the whole tenant.
    static func newest(of tenant: TenantID, for app: AppID) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and k.state = 'active' and \(serves(app))
        order by k.app_id is null, k.created_at desc, k.signing_key_id desc
        limit 1
        """
    }

    /// Keys that may sign for an app, its own before those of the whole tenant, the newest first of each.
    static func candidates(of tenant: TenantID, for app: AppID) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and k.state <> 'retired' and \(serves(app))
        order by k.app_id is null, k.created_at desc, k.signing_key_id desc
        limit 20
        """
    }

    /// How the tenant's keys stand in one environment.
    static func standings(of tenant: TenantID, environment: String) -> SQL {
        """
        select s.signing_key_id, s.environment, s.accepted_at, s.refused_since, s.paused_until, s.refusals,
          s.clock_offset_ms, s.used_at, s.refused_at
        from tenants.key_standings s
        join tenants.signing_keys k on k.tenant_id = s.tenant_id and k.signing_key_id = s.signing_key_id
        where s.tenant_id = \(tenant.rawValue) and s.environment = \(environment) and k.state <> 'retired'
        order by s.signing_key_id
        limit 400
        """
    }

    /// What is known of the tenant's keys for one app in one environment.
    static func proofs(of tenant: TenantID, for app: AppID, environment: String) -> SQL {
        """
        select \(KeyProof.columns)
        from tenants.signing_keys k
        join tenants.key_proofs p on p.tenant_id = k.tenant_id and p.signing_key_id = k.signing_key_id
        join tenants.apps a on a.tenant_id = p.tenant_id and a.app_id = p.app_id
        where k.tenant_id = \(tenant.rawValue) and k.state <> 'retired' and p.app_id = \(app.rawValue)
          and p.environment = \(environment)
        order by p.signing_key_id
        limit 400
        """
    }

    /// Of every key, retired ones too, for apps that are in use.
    static func proofs(of tenant: TenantID) -> SQL {
        """
        select \(KeyProof.columns)
        from tenants.key_proofs p
        join tenants.apps a on a.tenant_id = p.tenant_id and a.app_id = p.app_id
        where p.tenant_id = \(tenant.rawValue) and a.removed_at is null
        order by a.bundle_id, p.signing_key_id, p.environment
        limit 8000
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

    static func recent(of tenant: TenantID, retiredAfter: Moment) -> SQL {
        """
        select \(columns)
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.tenant_id = \(tenant.rawValue) and (k.state <> 'retired' or k.retired_at > \(retiredAfter))
        order by k.created_at desc, k.signing_key_id desc
        limit 200
        """
    }

    /// Of every key, retired ones too.
    static func standings(of tenant: TenantID) -> SQL {
        """
        select signing_key_id, environment, accepted_at, refused_since, paused_until, refusals, clock_offset_ms,
          used_at, refused_at
        from tenants.key_standings
        where tenant_id = \(tenant.rawValue)
        order by signing_key_id, environment
        limit 1000
        """
    }

    /// The key with this ID that is in use for the app, or for the whole tenant.
    static func inUse(keyID: String, app: AppID?, of tenant: TenantID) -> SQL {
        """
        select signing_key_id
        from tenants.signing_keys
        where tenant_id = \(tenant.rawValue) and key_id = \(keyID) and state <> 'retired'
          and app_id is not distinct from \(app?.rawValue)
        """
    }

    /// What became of older keys when one was added.
    struct Added {
        var replaced = false
        var retiring = 0
    }

    /// Adds a key. One with the same key ID and scope is wiped; others of the scope begin to retire.
    static func add(
        _ info: SigningKeyInfo, issuerID: UUID, publicPoint: [UInt8], sealed: [UInt8], masterKeyID: [UInt8],
        grace: Duration, in tx: Transaction
    ) async throws -> Added {
        let (tenant, app, now) = (info.tenant, info.app, info.createdAt)
        var added = Added()
        if let before = try await tx.row(inUse(keyID: info.keyID, app: app, of: tenant)) {
            try await retire(SigningKeyID(rawValue: try before("signing_key_id")), of: tenant, at: now, in: tx)
            added.replaced = true
        }
        let end = now + max(.zero, grace)
        added.retiring = try await tx.execute(
            """
            update tenants.signing_keys set state = 'retiring', retires_at = \(end)
            where tenant_id = \(tenant.rawValue) and state = 'active' and app_id is not distinct from \(app?.rawValue)
            """)
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(tenant.rawValue), \(info.id.rawValue), 'signing-key', \(sealed), \(masterKeyID), \(now))
            """)
        try await tx.execute(
            """
            insert into tenants.signing_keys
              (tenant_id, signing_key_id, key_id, issuer_id, app_id, public_key, created_at, file_name, added_by)
            values (\(tenant.rawValue), \(info.id.rawValue), \(info.keyID), \(issuerID), \(app?.rawValue),
              \(publicPoint), \(now), \(info.fileName), \(info.addedBy?.rawValue))
            """)
        return added
    }

    /// Ends a key: its row stays for the attempts that name it, its sealed form does not. False where it had ended.
    @discardableResult
    static func retire(
        _ id: SigningKeyID, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        let ended = try await tx.execute(
            """
            update tenants.signing_keys set state = 'retired', retired_at = \(now)
            where tenant_id = \(tenant.rawValue) and signing_key_id = \(id.rawValue) and state <> 'retired'
            """)
        guard ended > 0 else { return false }
        try await tx.execute(
            """
            update tenants.secrets set sealed = '\\x'
            where tenant_id = \(tenant.rawValue) and secret_id = \(id.rawValue)
            """)
        return true
    }

    /// Where no key of the scope is active any more, the newest retiring one is again. Returns its key ID.
    static func revive(app: AppID?, of tenant: TenantID, in tx: Transaction) async throws -> String? {
        try await tx.row(
            """
            update tenants.signing_keys set state = 'active', retires_at = null
            where tenant_id = \(tenant.rawValue) and signing_key_id =
              (select signing_key_id from tenants.signing_keys
               where tenant_id = \(tenant.rawValue) and state = 'retiring'
                 and app_id is not distinct from \(app?.rawValue)
               order by created_at desc, signing_key_id desc
               limit 1)
              and not exists (select from tenants.signing_keys
                where tenant_id = \(tenant.rawValue) and state = 'active'
                  and app_id is not distinct from \(app?.rawValue))
            returning key_id
            """
        ).map { try $0("key_id") }
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
        let state: String = try row("state")
        let addedBy: UUID? = try row("added_by")
        info = SigningKeyInfo(
            tenant: TenantID(rawValue: try row("tenant_id")), id: SigningKeyID(rawValue: try row("signing_key_id")),
            keyID: try row("key_id"), issuerID: issuer.uuidString.lowercased(), app: app.map(AppID.init(rawValue:)),
            fingerprint: Hex.colons(Digest.sha256(publicPoint).prefix(16)), createdAt: try row("created_at"),
            state: SigningKeyState(rawValue: state) ?? .retired, fileName: try row("file_name"),
            addedBy: addedBy.map(PersonID.init(rawValue:)), retiresAt: try row("retires_at"),
            retiredAt: try row("retired_at"), lastUsedAt: try row("last_used_at"))
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

import Crypto
package import FoundationEssentials
package import Journal
package import Postgres
import Time

/// The sealed secret of a channel, as it may be kept in memory: useless without the master key.
package struct SealedChannelSecret: Sendable, Hashable {
    package let tenant: TenantID
    package let id: UUID
    fileprivate let sealed: [UInt8]
}

extension Vault {
    /// Seals what reaches somebody: a routing key, the address of a hook, a token.
    ///
    /// Throws `VaultError.noMasterKey`.
    package func sealChannelSecret(
        _ secret: Redacted<String>, of tenant: TenantID, in tx: Transaction
    ) async throws -> UUID {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        let id = Random.uuid()
        let sealed = try Envelope.seal(
            SecretBytes(copying: Array(secret.reveal().utf8)),
            bound: SecretBinding(tenant: tenant, secret: id, kind: .channel), with: master)
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(tenant.rawValue), \(id), 'channel', \(sealed), \(master.id), \(clock.now))
            """)
        return id
    }

    /// The sealed rows of channels, to be opened later, database or not.
    package func channelSecrets(
        _ ids: [UUID], of tenant: TenantID, in tx: Transaction
    ) async throws -> [UUID: SealedChannelSecret] {
        if ids.isEmpty { return [:] }
        let rows = try await tx.rows(
            """
            select secret_id, sealed
            from tenants.secrets
            where tenant_id = \(tenant.rawValue) and secret_id = any(\(ids)) and kind = 'channel'
              and octet_length(sealed) > 0
            limit 1000
            """)
        var found: [UUID: SealedChannelSecret] = [:]
        for row in rows {
            let id: UUID = try row("secret_id")
            found[id] = SealedChannelSecret(tenant: tenant, id: id, sealed: try row("sealed"))
        }
        return found
    }

    /// Throws `VaultError.channelUnreadable`.
    package func open(_ secret: SealedChannelSecret) throws(VaultError) -> Redacted<String> {
        do throws(EnvelopeError) {
            let opened = try Envelope.open(
                secret.sealed, bound: SecretBinding(tenant: secret.tenant, secret: secret.id, kind: .channel),
                with: keyring)
            let bytes = opened.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
            return Redacted(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw VaultError.channelUnreadable(secret.tenant, secret.id, VaultError.trouble(error))
        }
    }

    /// Wipes the secret of a channel that is gone.
    package func wipeChannelSecret(_ id: UUID, of tenant: TenantID, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update tenants.secrets set sealed = '', opened_badly_at = null
            where tenant_id = \(tenant.rawValue) and secret_id = \(id) and kind = 'channel'
            """)
    }
}

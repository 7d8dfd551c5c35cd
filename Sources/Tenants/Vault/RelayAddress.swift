import Crypto
import FoundationEssentials
package import Journal
import Postgres
import Time

extension Vault {
    /// Opens the address of an app's other receiver; nil where nothing is passed on any more.
    ///
    /// Throws `VaultError.relayUnreadable`, and what the database throws.
    package func relayURL(of app: App) async throws -> Redacted<String>? {
        guard let secret = app.relaySecret else { return nil }
        let rows = try await database.rows(
            app.tenant.scope,
            """
            select sealed
            from tenants.secrets
            where tenant_id = \(app.tenant.rawValue) and secret_id = \(secret) and kind = 'relay-url'
            """)
        guard let row = rows.first else { return nil }
        let sealed: [UInt8] = try row("sealed")
        guard !sealed.isEmpty else { return nil }
        let binding = SecretBinding(tenant: app.tenant, secret: secret, kind: .relayURL)
        do throws(EnvelopeError) {
            let opened = try Envelope.open(sealed, bound: binding, with: keyring)
            let bytes = opened.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
            return Redacted(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw VaultError.relayUnreadable(app.tenant, app.id, VaultError.trouble(error))
        }
    }

    /// Seals an address, in the transaction that sets it for an app.
    func sealRelayURL(_ url: String, of tenant: TenantID, in tx: Transaction) async throws -> UUID {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        let secret = Random.uuid()
        let sealed = try Envelope.seal(
            SecretBytes(copying: Array(url.utf8)),
            bound: SecretBinding(tenant: tenant, secret: secret, kind: .relayURL), with: master)
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(tenant.rawValue), \(secret), 'relay-url', \(sealed), \(master.id), \(clock.now))
            """)
        return secret
    }
}

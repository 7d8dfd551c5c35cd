import Crypto
import FoundationEssentials
package import Journal
import Postgres
import Time

extension Vault {
    /// Opens what signs the questions to an app's server: one secret, or two while one replaces the other, newest
    /// first with a blank between; nil where there is none.
    ///
    /// Throws `VaultError.callbackUnreadable`, and what the database throws.
    package func callbackSecret(of app: App) async throws -> Redacted<String>? {
        guard let secret = app.callbackSecret else { return nil }
        let row = try await database.rows(app.tenant.scope, Self.sealedCallback(secret, of: app.tenant)).first
        return try open(row, secret, of: app)
    }

    private static func sealedCallback(_ secret: UUID, of tenant: TenantID) -> SQL {
        """
        select sealed
        from tenants.secrets
        where tenant_id = \(tenant.rawValue) and secret_id = \(secret) and kind = 'callback'
        """
    }

    private func open(_ row: Row?, _ secret: UUID, of app: App) throws -> Redacted<String>? {
        guard let row else { return nil }
        let sealed: [UInt8] = try row("sealed")
        guard !sealed.isEmpty else { return nil }
        let binding = SecretBinding(tenant: app.tenant, secret: secret, kind: .callback)
        do throws(EnvelopeError) {
            let opened = try Envelope.open(sealed, bound: binding, with: keyring)
            let bytes = opened.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
            return Redacted(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw VaultError.callbackUnreadable(app.tenant, app.id, VaultError.trouble(error))
        }
    }

    /// Makes and seals a new secret; those that sign at this moment stay beside it, as one each: at most three.
    ///
    /// - Returns: the row, and the new secret alone.
    func sealCallbackSecret(of app: App, in tx: Transaction) async throws -> (id: UUID, secret: Redacted<String>) {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        var old: [String] = []
        if let known = app.callbackSecret {
            // One that does not open any more is replaced all the same.
            let row = try await tx.row(Self.sealedCallback(known, of: app.tenant))
            do {
                let words = try open(row, known, of: app)?.reveal().split(separator: " ").map(String.init) ?? []
                let isReplacing = app.callbackSecretAt.map { clock.now < $0 + TenantStore.callbackOverlap } ?? false
                // The oldest is the one that the server surely has.
                old = isReplacing && words.count > 3 ? [words[0], words[1], words[words.count - 1]] : words
                if !isReplacing { old = Array(words.prefix(1)) }
            } catch is VaultError {}
        }
        let new = "whsec_" + Base64.encode(Random.bytes(32))
        let id = Random.uuid()
        let sealed = try Envelope.seal(
            SecretBytes(copying: Array(([new] + old).joined(separator: " ").utf8)),
            bound: SecretBinding(tenant: app.tenant, secret: id, kind: .callback), with: master)
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(app.tenant.rawValue), \(id), 'callback', \(sealed), \(master.id), \(clock.now))
            """)
        return (id, Redacted(new))
    }
}

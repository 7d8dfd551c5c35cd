package import Journal
package import Postgres
package import Time

extension TenantStore {
    /// For so long after a new secret was made those that signed before sign too.
    package static let callbackOverlap: Duration = .hours(24)

    /// Makes the secret that signs what an app's server is asked, or another one in its place; audited.
    ///
    /// - Returns: the secret, which is shown this once.
    /// - Throws: `TenantStoreError.noApp`, `VaultError.noMasterKey`.
    package static func makeCallbackSecret(
        of app: App, with vault: Vault, by actor: AuditEntry.Actor, address: String? = nil, at now: Moment,
        in tx: Transaction
    ) async throws -> Redacted<String> {
        guard
            let row = try await tx.row(
                """
                select \(appColumns)
                from tenants.apps a
                where a.tenant_id = \(app.tenant.rawValue) and a.app_id = \(app.id.rawValue) and a.removed_at is null
                for update
                """)
        else { throw TenantStoreError.noApp(bundleID: app.bundleID) }
        let old = try App(row)
        let made = try await vault.sealCallbackSecret(of: old, in: tx)
        try await tx.execute(
            """
            update tenants.apps set callback_secret_id = \(made.id), callback_secret_at = \(now)
            where tenant_id = \(old.tenant.rawValue) and app_id = \(old.id.rawValue)
            """)
        if let gone = old.callbackSecret {
            try await tx.execute(
                """
                update tenants.secrets set sealed = '\\x'
                where tenant_id = \(old.tenant.rawValue) and secret_id = \(gone) and kind = 'callback'
                """)
        }
        try await Audit.write(
            AuditEntry(
                tenant: old.tenant, at: now, actor: actor, address: address, action: "callback.secret-made",
                subject: "\(old.id)", detail: ["replaced": .flag(old.callbackSecret != nil)]), in: tx)
        return made.secret
    }
}

import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Time

/// An inbox as those who run the app see it.
package struct InboxAddress: Sendable {
    package let inboxID: Int64
    /// The secret part of the URL: `/n/{token}`.
    package let token: Redacted<String>
    package let createdAt: Moment

    package init(inboxID: Int64, token: Redacted<String>, createdAt: Moment) {
        self.inboxID = inboxID
        self.token = token
        self.createdAt = createdAt
    }
}

extension Vault {
    /// Makes another inbox for an app. Its token is hashed for look-up and sealed for showing it again.
    ///
    /// Throws `VaultError.noMasterKey`.
    package func addInbox(
        to app: AppID, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws -> InboxAddress {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        let now = clock.now
        let token = Random.token(bytes: InboxToken.bytes)
        let secret = Random.uuid()
        let text = Array(token.utf8)
        let sealed = try Envelope.seal(
            SecretBytes(copying: text), bound: SecretBinding(tenant: tenant, secret: secret, kind: .inbox),
            with: master)
        try await tx.execute(
            """
            insert into tenants.secrets (tenant_id, secret_id, kind, sealed, master_key_id, sealed_at)
            values (\(tenant.rawValue), \(secret), 'inbox', \(sealed), \(master.id), \(now))
            """)
        guard
            let row = try await tx.row(
                """
                insert into tenants.inboxes (tenant_id, app_id, token_sha256, secret_id, created_at)
                values (\(tenant.rawValue), \(app.rawValue), \(Digest.sha256(text)), \(secret), \(now))
                returning inbox_id
                """)
        else { throw TenantStoreError.noInbox }
        let id: Int64 = try row("inbox_id")
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address, action: "inbox.added", subject: "inbox \(id)",
                detail: ["app": .number(app.rawValue)]),
            in: tx)
        return InboxAddress(inboxID: id, token: Redacted(token), createdAt: now)
    }

    /// The inboxes in use of an app, newest first, at most 100.
    ///
    /// Throws `VaultError.inboxUnreadable` for the first that does not open.
    package func inboxes(of tenant: TenantID, app: AppID, in tx: Transaction) async throws -> [InboxAddress] {
        let rows = try await tx.rows(
            """
            select i.inbox_id, i.created_at, s.secret_id, s.sealed
            from tenants.inboxes i
            join tenants.secrets s on s.tenant_id = i.tenant_id and s.secret_id = i.secret_id
            where i.tenant_id = \(tenant.rawValue) and i.app_id = \(app.rawValue) and i.retired_at is null
            order by i.inbox_id desc
            limit 100
            """)
        return try rows.map { row in
            let id: Int64 = try row("inbox_id")
            let binding = SecretBinding(tenant: tenant, secret: try row("secret_id"), kind: .inbox)
            do {
                let token = try Envelope.open(try row("sealed"), bound: binding, with: keyring)
                let text = token.withBytes { bytes in
                    var text = ""
                    for index in 0..<bytes.count { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
                    return text
                }
                return InboxAddress(inboxID: id, token: Redacted(text), createdAt: try row("created_at"))
            } catch let error as EnvelopeError {
                throw VaultError.inboxUnreadable(tenant, inbox: id, VaultError.trouble(error))
            }
        }
    }

    /// Ends an inbox: what arrives there afterwards is answered with 404.
    ///
    /// - Parameter id: nil for the oldest in use.
    /// Throws `TenantStoreError.noInbox`.
    package func retireInbox(
        _ id: Int64?, of tenant: TenantID, app: AppID, by actor: AuditEntry.Actor, in tx: Transaction
    ) async throws -> Int64 {
        guard
            let row = try await tx.row(
                """
                update tenants.inboxes set retired_at = \(clock.now)
                where tenant_id = \(tenant.rawValue) and inbox_id =
                  (select inbox_id from tenants.inboxes
                   where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and retired_at is null
                     and (\(id)::bigint is null or inbox_id = \(id))
                   order by inbox_id
                   limit 1)
                returning inbox_id
                """)
        else { throw TenantStoreError.noInbox }
        let retired: Int64 = try row("inbox_id")
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: clock.now, actor: actor, action: "inbox.retired", subject: "inbox \(retired)",
                detail: ["app": .number(app.rawValue)]),
            in: tx)
        return retired
    }
}

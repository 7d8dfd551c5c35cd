package import FoundationEssentials
package import Postgres

/// A sealed row that does not open: moved, damaged, or sealed with a master key that is not here.
package struct UnreadableSecret: Hashable, Sendable {
    package let tenant: TenantID
    package let id: UUID
    /// What it is, in words that name it: `signing key 2X9R4HXF34`, `the address of inbox 3`.
    package let subject: String
    /// The app it serves; nil where it serves all of the tenant.
    package let app: AppID?
    package let trouble: VaultError.Trouble
    package let kind: Kind

    package enum Kind: Hashable, Sendable {
        /// Refund requests stay unanswered because of it.
        case signingKey
        case inbox
        case otherReceiver
        case callback
        case channel
    }

    init(tenant: TenantID, id: UUID, subject: String, app: AppID?, trouble: VaultError.Trouble, kind: Kind) {
        self.tenant = tenant
        self.id = id
        self.subject = subject
        self.app = app
        self.trouble = trouble
        self.kind = kind
    }

    /// What is wrong with it.
    package var text: String { "\(subject) (\(id.uuidString.lowercased())): \(VaultError.cause(trouble))" }
}

extension Vault {
    /// How many rows of one tenant are opened at most: opening one takes some ten microseconds.
    private static let openedMax = 2_000

    /// Opens every sealed row of a tenant that is in use, once, and names those that do not open.
    package func unreadableSecrets(of tenant: TenantID, in tx: Transaction) async throws -> [UnreadableSecret] {
        let rows = try await tx.rows(
            """
            select s.tenant_id, s.secret_id, s.kind, s.sealed, k.key_id, k.public_key, k.app_id as key_app,
              i.inbox_id, i.app_id as inbox_app, a.app_id as relay_app, b.app_id as asked_app
            from tenants.secrets s
            left join tenants.signing_keys k on k.tenant_id = s.tenant_id and k.signing_key_id = s.secret_id
            left join tenants.inboxes i on i.tenant_id = s.tenant_id and i.secret_id = s.secret_id
            left join tenants.apps a on a.tenant_id = s.tenant_id and a.relay_secret_id = s.secret_id
            left join tenants.apps b on b.tenant_id = s.tenant_id and b.callback_secret_id = s.secret_id
            where s.tenant_id = \(tenant.rawValue) and octet_length(s.sealed) > 0 and i.retired_at is null
            order by s.secret_id
            limit \(Self.openedMax)
            """)
        return try rows.compactMap { try unreadable($0, tenant) }
    }

    private func unreadable(_ row: Row, _ tenant: TenantID) throws -> UnreadableSecret? {
        let sealed: [UInt8] = try row("sealed")
        let trouble: VaultError.Trouble
        do {
            _ = try Envelope.open(sealed, bound: try SecretBinding(row), with: keyring)
            return nil
        } catch let error as EnvelopeError {
            trouble = VaultError.trouble(error)
        }
        let keyID: String? = try row("key_id")
        let inbox: Int64? = try row("inbox_id")
        let apps: [Int64?] = [try row("key_app"), try row("inbox_app"), try row("relay_app"), try row("asked_app")]
        let (subject, kind): (String, UnreadableSecret.Kind) =
            if let keyID {
                ("signing key \(keyID)", .signingKey)
            } else if let inbox {
                ("the address of inbox \(inbox)", .inbox)
            } else if try row("kind") == SecretBinding.Kind.channel.rawValue {
                ("the secret of a channel", .channel)
            } else if try row("kind") == SecretBinding.Kind.callback.rawValue {
                ("the secret of a callback", .callback)
            } else {
                ("the address of another receiver", .otherReceiver)
            }
        return UnreadableSecret(
            tenant: tenant, id: try row("secret_id"), subject: subject,
            app: apps.compactMap { $0 }.first.map(AppID.init(rawValue:)), trouble: trouble,
            kind: kind)
    }

    /// Ids of people's code generators that do not open: their owners cannot sign in with them. House scope.
    package func unreadableFactors(in tx: Transaction) async throws -> [(factor: UUID, error: VaultError)] {
        let rows = try await tx.rows(
            """
            select factor_id, person_id, sealed
            from tenants.factors
            where sealed is not null
            order by factor_id
            limit \(Self.openedMax)
            """)
        var bad: [(factor: UUID, error: VaultError)] = []
        for row in rows {
            let (factor, person): (UUID, UUID) = (try row("factor_id"), try row("person_id"))
            let sealed: [UInt8] = try row("sealed")
            do throws(VaultError) {
                _ = try PersonalSecret.open(sealed, of: PersonID(rawValue: person), factor: factor, with: keyring)
            } catch {
                bad.append((factor, error))
            }
        }
        return bad
    }
}

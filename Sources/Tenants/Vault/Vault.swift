package import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Time

/// The only way to a secret in the clear.
///
/// A signing key is lent to a closure as a borrowed value that cannot be kept; between signings only its sealed form
/// exists. A secret that does not open is marked, so that doctor and pages can tell.
package final class Vault: Sendable {
    let database: Database
    let keyring: MasterKeyring
    let clock: WallClock
    let journal: Journal

    package init(database: Database, keyring: MasterKeyring, clock: WallClock, journal: Journal) {
        self.database = database
        self.keyring = keyring
        self.clock = clock
        self.journal = journal
    }

    /// Whether anything can be sealed.
    package var hasMasterKey: Bool { keyring.newest != nil }

    /// Lends the key that is meant to sign for an app: the newest active one of its own, else of its whole tenant.
    ///
    /// Throws `VaultError.noKey`, `VaultError.unreadable`, what the database throws, and what the closure throws.
    package func withSigningKey<R: Sendable>(
        of tenant: TenantID, for app: AppID, _ body: (borrowing P256Key, SigningKeyInfo) throws -> R
    ) async throws -> R {
        let rows = try await database.rows(tenant.scope, VaultStore.newest(of: tenant, for: app))
        guard let row = rows.first else { throw VaultError.noKey(tenant, app) }
        return try await lend(try StoredKey(row), body)
    }

    /// Lends one named key, active or not: for a body that was frozen with it.
    package func withSigningKey<R: Sendable>(
        _ id: SigningKeyID, of tenant: TenantID, _ body: (borrowing P256Key, SigningKeyInfo) throws -> R
    ) async throws -> R {
        let rows = try await database.rows(tenant.scope, VaultStore.key(id, of: tenant))
        guard let row = rows.first else { throw VaultError.unreadable(tenant, id, .wiped) }
        return try await lend(try StoredKey(row), body)
    }

    /// Which key is meant to sign for an app, without opening it; nil when there is none. It is the one to be tried.
    package func signingKey(of tenant: TenantID, for app: AppID, in tx: Transaction) async throws -> SigningKeyInfo? {
        try await tx.row(VaultStore.newest(of: tenant, for: app)).map { try StoredKey($0).info }
    }

    /// Which key signs for an app in one environment now: the one that is meant to, or another that Apple accepts for
    /// the app while it refuses that one, or is asked about it.
    package func signingKey(
        of tenant: TenantID, for app: AppID, isSandbox: Bool, in tx: Transaction
    ) async throws -> SigningKeyInfo? {
        let environment = isSandbox ? "Sandbox" : "Production"
        let parts = try await tx.pipeline([
            VaultStore.candidates(of: tenant, for: app),
            VaultStore.standings(of: tenant, environment: environment),
            VaultStore.proofs(of: tenant, for: app, environment: environment),
        ])
        let keys = try parts[0].map { try StoredKey($0).info }
        let standings = try parts[1].map { try KeyStanding($0) }
        let proofs = try parts[2].map { try KeyProof($0) }
        let candidates = keys.map { key in
            KeyChoice.Candidate(
                app: key.app, state: key.state,
                standing: KeyStanding.seen(
                    standings.first { $0.key == key.id }, for: proofs.first { $0.key == key.id }))
        }
        return KeyChoice.choose(candidates, at: clock.now).map { keys[$0] }
    }

    /// Active keys of a tenant, newest first, with whether each was last seen to open; at most 200.
    package func signingKeys(of tenant: TenantID, in tx: Transaction) async throws -> [(SigningKeyInfo, opens: Bool)] {
        try await tx.rows(VaultStore.all(of: tenant)).map { row in
            let key = try StoredKey(row)
            return (key.info, key.openedBadlyAt == nil)
        }
    }

    /// Seals a checked key and makes it the newest.
    ///
    /// The same key ID for the same app (or tenant) is replaced by it at once; other keys of that app (or tenant) go
    /// on for the grace time and then retire. Throws `VaultError.noMasterKey`.
    /// - Parameter grace: cut to 0 … `KeyOverlap.graceMax`.
    package func store(
        _ key: borrowing CheckedSigningKey, of tenant: TenantID, for app: AppID?,
        grace: Duration = KeyOverlap.grace, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws -> SigningKeyInfo {
        guard let master = keyring.newest else { throw VaultError.noMasterKey }
        let now = clock.now
        let id = SigningKeyID(rawValue: Random.uuid())
        let point = key.publicPoint
        let binding = StoredKey.binding(tenant: tenant, id: id, keyID: key.keyID, publicPoint: point)
        let sealed = try Envelope.seal(key.scalar(), bound: binding, with: master)
        var addedBy: PersonID?
        if case .person(let person) = actor { addedBy = person }
        let info = SigningKeyInfo(
            tenant: tenant, id: id, keyID: key.keyID, issuerID: key.issuerID.uuidString.lowercased(), app: app,
            fingerprint: key.fingerprint, createdAt: now, fileName: key.fileName, addedBy: addedBy)
        let added = try await VaultStore.add(
            info, issuerID: key.issuerID, publicPoint: point, sealed: sealed, masterKeyID: master.id,
            grace: min(grace, KeyOverlap.graceMax), in: tx)
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address,
                action: added.replaced ? "key.replaced" : "key.added", subject: "\(id)",
                detail: [
                    "keyId": .text(info.keyID), "fingerprint": .text(info.fingerprint),
                    "app": app.map { .number($0.rawValue) } ?? .none, "retiring": .number(Int64(added.retiring)),
                ]),
            in: tx)
        return info
    }

    /// Takes a key out of use and wipes its sealed form. False when the tenant has no such key in use.
    ///
    /// Where it was the last active one of its app (or tenant), the newest retiring one is active again.
    package func removeSigningKey(
        keyID: String, app: AppID?, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil,
        in tx: Transaction
    ) async throws -> Bool {
        guard let row = try await tx.row(VaultStore.inUse(keyID: keyID, app: app, of: tenant)) else { return false }
        let id = SigningKeyID(rawValue: try row("signing_key_id"))
        try await VaultStore.retire(id, of: tenant, at: clock.now, in: tx)
        let revived = try await VaultStore.revive(app: app, of: tenant, in: tx)
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: clock.now, actor: actor, address: address, action: "key.removed", subject: "\(id)",
                detail: ["keyId": .text(keyID), "signsAgain": revived.map { .text($0) } ?? .none]),
            in: tx)
        return true
    }

    private func lend<R: Sendable>(
        _ stored: StoredKey, _ body: (borrowing P256Key, SigningKeyInfo) throws -> R
    ) async throws -> R {
        let key: P256Key
        do throws(VaultError) {
            key = try stored.open(with: keyring)
        } catch {
            if stored.openedBadlyAt == nil {
                journal.error(
                    "a signing key does not open",
                    ["tenant": .init(stored.info.tenant.rawValue), "error": .init(error)])
                await mark(stored.info.id, of: stored.info.tenant, openedBadly: true)
            }
            throw error
        }
        if stored.openedBadlyAt != nil { await mark(stored.info.id, of: stored.info.tenant, openedBadly: false) }
        let result = try body(key, stored.info)
        await noteUse(of: stored.info)
        return result
    }

    /// To the minute: a token is made once in five minutes for each app and process.
    private func noteUse(of info: SigningKeyInfo) async {
        let now = clock.now
        guard info.lastUsedAt.map({ now - $0 >= .minutes(1) }) ?? true else { return }
        do {
            _ = try await database.rows(
                info.tenant.scope,
                """
                update tenants.signing_keys set last_used_at = \(now)
                where tenant_id = \(info.tenant.rawValue) and signing_key_id = \(info.id.rawValue)
                returning signing_key_id
                """)
        } catch {
            journal.warning(
                "could not note that a signing key was used",
                ["tenant": .init(info.tenant.rawValue), "error": .init(error)])
        }
    }

    /// A mark that cannot be written is written at the next opening: it must not hide what the caller is told.
    private func mark(_ id: SigningKeyID, of tenant: TenantID, openedBadly: Bool) async {
        let at: Moment? = openedBadly ? clock.now : nil
        do {
            _ = try await database.rows(
                tenant.scope,
                """
                update tenants.secrets set opened_badly_at = \(at)
                where tenant_id = \(tenant.rawValue) and secret_id = \(id.rawValue)
                returning secret_id
                """)
        } catch {
            journal.warning(
                "could not note how a signing key opened", ["tenant": .init(tenant.rawValue), "error": .init(error)])
        }
    }
}

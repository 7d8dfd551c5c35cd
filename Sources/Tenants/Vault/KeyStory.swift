package import Postgres
import Time

/// A signing key as its owner sees it: never the key, all that is known of it.
package struct KeyStory: Sendable {
    package let info: SigningKeyInfo
    /// False: it did not open when it was last needed.
    package let opens: Bool
    /// How Apple takes it, one for each environment in which it was tried.
    package let standings: [KeyStanding]
    package let revocation: RevocationAdvice

    package init(info: SigningKeyInfo, opens: Bool, standings: [KeyStanding], revocation: RevocationAdvice) {
        self.info = info
        self.opens = opens
        self.standings = standings
        self.revocation = revocation
    }

    /// Whether it may be revoked in App Store Connect now without harm to this desk.
    package var isSafeToRevoke: Bool { revocation.isSafe }
    package var why: String { revocation.why }

    package func standing(isSandbox: Bool) -> KeyStanding? { standings.first { $0.isSandbox == isSandbox } }
}

extension Vault {
    /// Every key of a tenant that is in use, and those retired in the last 30 days; newest first, at most 200.
    ///
    /// No key is opened.
    package func keys(of tenant: TenantID, in tx: Transaction) async throws -> [KeyStory] {
        let now = clock.now
        let parts = try await tx.pipeline([
            VaultStore.recent(of: tenant, retiredAfter: now - KeyOverlap.remembered),
            VaultStore.standings(of: tenant),
        ])
        let standings = Dictionary(grouping: try parts[1].map { try KeyStanding($0) }, by: \.key)
        let stored = try parts[0].map { try StoredKey($0) }
        let parties = stored.map { KeyOverlap.Party(info: $0.info, standings: standings[$0.info.id] ?? []) }
        return zip(stored, parties).map { key, party in
            KeyStory(
                info: key.info, opens: key.openedBadlyAt == nil, standings: party.standings,
                revocation: KeyOverlap.advice(on: party, among: parties, at: now))
        }
    }
}

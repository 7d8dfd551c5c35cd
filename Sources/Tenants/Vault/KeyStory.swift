package import Postgres
import Time

/// A signing key as its owner sees it: never the key, all that is known of it.
package struct KeyStory: Sendable {
    package let info: SigningKeyInfo
    /// False: it did not open when it was last needed.
    package let opens: Bool
    /// How Apple takes it, one for each environment in which it was tried, for whichever app.
    package let standings: [KeyStanding]
    /// What is known of it for each app, by bundle ID.
    package let proofs: [KeyProof]
    package let revocation: RevocationAdvice

    package init(
        info: SigningKeyInfo, opens: Bool, standings: [KeyStanding], proofs: [KeyProof] = [],
        revocation: RevocationAdvice
    ) {
        self.info = info
        self.opens = opens
        self.standings = standings
        self.proofs = proofs
        self.revocation = revocation
    }

    /// Whether it may be revoked in App Store Connect now without harm to this desk.
    package var isSafeToRevoke: Bool { revocation.isSafe }
    package var why: String { revocation.why }

    /// How it stands for one app; nil where it was tried for none.
    package func standing(for app: AppID, isSandbox: Bool) -> KeyStanding? {
        KeyStanding.seen(
            standings.first { $0.isSandbox == isSandbox },
            for: proofs.first { $0.app == app && $0.isSandbox == isSandbox })
    }

    /// Another app for which Apple accepts it in this environment, the first by bundle ID.
    package func other(than app: AppID, isSandbox: Bool) -> KeyProof? {
        proofs.first { $0.app != app && $0.isSandbox == isSandbox && $0.isAccepted }
    }

    package func candidate(for app: AppID, isSandbox: Bool) -> KeyChoice.Candidate {
        KeyChoice.Candidate(app: info.app, state: info.state, standing: standing(for: app, isSandbox: isSandbox))
    }
}

extension Vault {
    /// Every key of a tenant that is in use, and those retired in the last 30 days; newest first, at most 200.
    ///
    /// No key is opened.
    package func keys(of tenant: TenantID, in tx: Transaction) async throws -> [KeyStory] {
        let now = clock.now
        let parts = try await tx.pipeline([
            VaultStore.recent(of: tenant, retiredAfter: now - KeyOverlap.remembered),
            VaultStore.standings(of: tenant), VaultStore.proofs(of: tenant),
        ])
        let standings = Dictionary(grouping: try parts[1].map { try KeyStanding($0) }, by: \.key)
        let proofs = Dictionary(grouping: try parts[2].map { try KeyProof($0) }, by: \.key)
        let stored = try parts[0].map { try StoredKey($0) }
        let parties = stored.map { KeyOverlap.Party(info: $0.info, proofs: proofs[$0.info.id] ?? []) }
        return zip(stored, parties).map { key, party in
            KeyStory(
                info: key.info, opens: key.openedBadlyAt == nil, standings: standings[key.info.id] ?? [],
                proofs: party.proofs,
                revocation: KeyOverlap.advice(on: party, among: parties, at: now))
        }
    }
}

import AppStore
import Journal
import Tenants
import Time

/// Tokens that sign in to Apple for an app: made in the vault, kept for minutes.
struct AppTokens: Sendable {
    let vault: Vault
    let cache: TokenCache
    let clock: WallClock

    /// Whether a token is kept that stays fresh until a call that is begun now has been sent.
    func isReady(_ key: SigningKeyInfo, _ app: App) -> Bool {
        cache.token(name(key, app), now: clock.now, lasting: CallPermit.permission * 2) != nil
    }

    /// The kept token, while it is fresh.
    func kept(_ key: SigningKeyInfo, _ app: App) -> Redacted<String>? { cache.token(name(key, app), now: clock.now) }

    /// - Throws: `VaultError`, and what the database throws.
    func make(_ key: SigningKeyInfo, _ app: App) async throws {
        let now = clock.now
        let token = try await vault.withSigningKey(key.id, of: key.tenant) { secret, info in
            try BearerToken.make(
                with: secret, keyID: info.keyID, issuerID: info.issuerID, bundleID: app.bundleID, at: now)
        }
        cache.keep(token, for: name(key, app), madeAt: now)
    }

    func forget(_ key: SigningKeyInfo, _ app: App) { cache.forget(name(key, app)) }

    private func name(_ key: SigningKeyInfo, _ app: App) -> TokenCache.Key {
        TokenCache.Key(
            tenant: key.tenant.rawValue, keyID: key.keyID, fingerprint: key.fingerprint, bundleID: app.bundleID)
    }
}

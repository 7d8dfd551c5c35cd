import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// What the calls of onboarding have in common: a token, a permit of the lane, and what an answer tells of the key.
///
/// A person waits for them, so a paused key does not hold them back as it does the replies; that they are
/// counted in the lane's permits keeps both within Apple's limit.
struct AppleQuestion: Sendable {
    let vault: Vault
    let tokens: AppTokens
    let clock: WallClock

    /// The key that is to be tried: the one that is meant to sign for the app.
    ///
    /// - Throws: `OnboardingError.noKey`.
    func key(of app: App, in tx: Transaction) async throws -> SigningKeyInfo {
        guard let key = try await vault.signingKey(of: app.tenant, for: app.id, in: tx) else {
            throw OnboardingError.noKey
        }
        return key
    }

    /// The key that signs for the app in an environment: another than is meant to, where Apple takes only that one.
    ///
    /// - Throws: `OnboardingError.noKey`.
    func signer(of app: App, isSandbox: Bool, in tx: Transaction) async throws -> SigningKeyInfo {
        guard let key = try await vault.signingKey(of: app.tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
            throw OnboardingError.noKey
        }
        return key
    }

    /// - Parameter isNew: made now, so that a kept one cannot hide a key that was changed.
    /// - Throws: `VaultError`.
    func token(of key: SigningKeyInfo, for app: App, isNew: Bool) async throws -> Redacted<String> {
        if isNew || !tokens.isReady(key, app) { try await tokens.make(key, app) }
        guard let token = tokens.kept(key, app) else { throw VaultError.noKey(app.tenant, app.id) }
        return token
    }

    /// Draws the lesson for the key, the lane and the jobs that wait for the key.
    ///
    /// - Parameter failure: nil where Apple answered as hoped.
    /// - Returns: whether jobs became ready: ring the bell after the commit.
    func learn(
        from failure: CallResult?, _ key: SigningKeyInfo, _ app: App, isSandbox: Bool, in tx: Transaction
    ) async throws -> Bool {
        let now = clock.now
        let before = try await KeyStandings.both(
            of: key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, in: tx)
        switch failure {
        case nil, .accepted, .refused:
            try await KeyStandings.accepted(
                key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, at: now, in: tx)
            // While the key was refused or unproven, all that waited did so for the key.
            if before.whole?.isAccepted != true {
                return try await hurry(only: key.app, app.tenant, isSandbox: isSandbox, in: tx)
            }
            if before.own?.isAccepted != true {
                return try await hurry(only: app.id, app.tenant, isSandbox: isSandbox, in: tx)
            }
        case .credentials(_, let offset):
            tokens.forget(key, app)
            _ = try await KeyStandings.refused(
                key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, clockOffset: offset, at: now, in: tx)
        case .rateLimited(_, let until):
            try await ReplyStore.holdLane(
                App.lane(app.id, isSandbox: isSandbox), for: max(.zero, until - now),
                why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
        case .retry, .unknown, .notSent: break
        }
        return false
    }

    /// Makes replies, look-ups, commerce requests and readings of the history ready that wait in the lanes of one app, or
    /// of every app.
    private func hurry(
        only app: AppID?, _ tenant: TenantID, isSandbox: Bool, in tx: Transaction
    ) async throws -> Bool {
        // Rows that somebody else holds are being worked on: waiting for them could be waiting in a circle.
        let kinds = [RefundJobs.Kind.reply, .lookUp, .commerce, .history].map(\.rawValue)
        let bases = [Lane.number(app: 0, isSandbox: isSandbox), Lane.commerce(app: 0, isSandbox: isSandbox)]
        return try await tx.execute(
            """
            update queue.jobs j
            set state = 'ready'
            from (
              select tenant_id, job_id
              from queue.jobs
              where tenant_id = \(tenant.rawValue) and state = 'waiting' and kind = any(\(kinds))
                and lane in (
                  select app_id * 2 + base
                  from tenants.apps, unnest(\(bases)::int8[]) base
                  where tenant_id = \(tenant.rawValue)
                    and (\(app?.rawValue)::int8 is null or app_id = \(app?.rawValue)))
              order by deadline, job_id
              limit 10000
              for update skip locked) w
            where j.tenant_id = w.tenant_id and j.job_id = w.job_id
            """) > 0
    }
}

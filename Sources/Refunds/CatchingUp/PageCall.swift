import AppStore
import Journal
import Postgres
import Queue
import Tenants
import Time

/// The way of a call that reads a page of one of Apple's lists, the same for each of them: a key, a permit, a token, and
/// what follows where no page came.
///
/// Such a call changes nothing at Apple's and may be made twice. So nothing is committed before it but its permit, and
/// what came of it counts only if the list still stands where it was begun; each list keeps that for itself.
struct PageCall: Sendable {
    let vault: Vault
    let tokens: AppTokens
    let clock: WallClock

    /// A call waits so long for its turn where it is; for longer it goes back to the queue, and holds no worker up.
    static let patience: Duration = .milliseconds(50)

    /// Whether a call tries a key that Apple has not taken so far.
    enum Courage: Sendable {
        case triesKeys
        /// Replies try a key, and they alone: what is asked for can wait until one was taken.
        case provenKeys
    }

    /// The right to one call.
    struct Leave: Sendable {
        let app: App
        let environment: Environment
        let key: SigningKeyInfo
        let courage: Courage
        /// Until its turn; `patience` at most.
        let wait: Duration

        var isSandbox: Bool { environment == .sandbox }
    }

    enum Begun: Sendable {
        case leave(Leave)
        case noKey(String)
        /// Not before then, and why.
        case later(Moment, String)
        /// It has a permit for that moment, and is to come back with it (`Job.again` with a subject that names it).
        case turn(Moment, String)
    }

    /// What follows from a call that brought no page.
    enum Setback: Sendable {
        /// Apple will say the same again.
        case refused(AppleAnswer)
        /// The key was not taken.
        case key(until: Moment)
        case limited(until: Moment)
        /// A passing trouble.
        case trouble(notBefore: Moment?)
    }

    /// - Parameter permit: the moment of the permit with which the job comes back; one that is long over is none.
    func begin(
        _ job: Job, for app: App, _ environment: Environment, _ courage: Courage, permit: Int64?, in tx: Transaction
    ) async throws -> Begun {
        let (now, isSandbox, tenant) = (clock.now, environment == .sandbox, app.tenant)
        guard let key = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
            return .noKey("\(VaultError.noKey(tenant, app.id))")
        }
        switch courage {
        case .triesKeys:
            let gate = try await KeyStandings.enter(
                key.id, for: app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
            if case .closed(let until) = gate {
                return .later(until, "Apple refused the signing key, or it is being tried")
            }
        case .provenKeys:
            let standing = try await KeyStandings.both(
                of: key.id, for: app.id, isSandbox: isSandbox, of: tenant, in: tx)
            guard standing.whole?.isAccepted == true, standing.own?.isAccepted == true else {
                return .noKey("no call has proven the signing key")
            }
        }
        func leave(after wait: Duration) -> Begun {
            .leave(Leave(app: app, environment: environment, key: key, courage: courage, wait: wait))
        }
        if let permit = permit.map(Moment.init(milliseconds:)), now < permit + CallPermit.permission {
            return leave(after: max(.zero, min(permit - now, Self.patience)))
        }
        guard let wait = try await Lane.takePermit(job.lane, in: tx) else {
            try await undecided(key, courage, app, isSandbox, in: tx)
            let wait = try await ReplyStore.laneWait(job.lane, tx: tx)
            return .later(now + wait, "the rate limit's next permits are taken")
        }
        if wait <= Self.patience { return leave(after: wait) }
        try await undecided(key, courage, app, isSandbox, in: tx)
        return .turn(now + wait + .milliseconds(1), "its turn has not come")
    }

    /// The token to call with; waits for the turn.
    ///
    /// - Throws: `VaultError`, and what the database throws.
    func token(_ leave: Leave) async throws -> Redacted<String> {
        if tokens.kept(leave.key, leave.app) == nil { try await tokens.make(leave.key, leave.app) }
        guard let token = tokens.kept(leave.key, leave.app) else {
            throw VaultError.noKey(leave.app.tenant, leave.app.id)
        }
        if leave.wait > .zero { try await Task.sleep(for: leave.wait) }
        return token
    }

    /// A page came: Apple took the key.
    func accepted(_ leave: Leave, at now: Moment, in tx: Transaction) async throws {
        try await KeyStandings.accepted(
            leave.key.id, for: leave.app.id, isSandbox: leave.isSandbox, of: leave.app.tenant, at: now, in: tx)
    }

    /// No page came: what that says of the key and of the lane is kept.
    func failed(
        _ failure: CallResult, _ leave: Leave, _ job: Job, at now: Moment, in tx: Transaction
    ) async throws -> Setback {
        switch failure {
        case .refused(let answer):
            try await accepted(leave, at: now, in: tx)
            return .refused(answer)
        case .credentials(_, let offset):
            tokens.forget(leave.key, leave.app)
            return .key(
                until: try await KeyStandings.refused(
                    leave.key.id, for: leave.app.id, isSandbox: leave.isSandbox, of: leave.app.tenant,
                    clockOffset: offset, at: now, in: tx))
        case .rateLimited(_, let until):
            try await undecided(leave.key, leave.courage, leave.app, leave.isSandbox, in: tx)
            // This lane alone: Apple counts each endpoint by itself.
            try await ReplyStore.holdLane(
                job.lane, for: max(.zero, until - now), why: "Apple asked for no more calls before \(until.iso8601)",
                tx: tx)
            return .limited(until: until)
        case .retry(_, let notBefore):
            try await undecided(leave.key, leave.courage, leave.app, leave.isSandbox, in: tx)
            return .trouble(notBefore: notBefore)
        case .accepted, .unknown, .notSent:
            try await undecided(leave.key, leave.courage, leave.app, leave.isSandbox, in: tx)
            return .trouble(notBefore: nil)
        }
    }

    /// Others may try the key again.
    private func undecided(
        _ key: SigningKeyInfo, _ courage: Courage, _ app: App, _ isSandbox: Bool, in tx: Transaction
    ) async throws {
        guard courage == .triesKeys else { return }
        try await KeyStandings.undecided(key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, in: tx)
    }
}

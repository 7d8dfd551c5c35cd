import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Sends one commerce request to Apple, as `ReplyJob` sends a reply.
///
/// One intention is one body with one reference, committed before the first call; never two calls in flight for a
/// request; none after one that was accepted or refused; a repeat has the same bytes. Three steps, each of which may
/// be the last of a process: begin, send, settle.
struct CommerceJob: Sendable {
    /// Hands a call to the network.
    typealias Send = @Sendable (Call, Redacted<String>) async -> AdvancedCommerceAPI.Outcome

    /// One call that was begun: its rows are committed, and until `sendBy` it may be handed to the network.
    struct Call: Sendable {
        let app: App
        let request: CommerceRequest
        /// The same bytes in every call of the request.
        let body: [UInt8]
        let attempt: Int
        let key: SigningKeyInfo
        /// The permit's moment: not before it.
        var sendAfter: ContinuousClock.Instant
        var sendBy: ContinuousClock.Instant
        let giveUp: ContinuousClock.Instant

        var tenant: TenantID { request.tenant }
        var isSandbox: Bool { request.environment == .sandbox }
        var environment: Environment { Environment(request.environment) }
        var lane: Int64 { Lane.commerce(app: request.app.rawValue, isSandbox: isSandbox) }
    }

    struct Subject: Codable, Sendable {
        let request: UUID
    }

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let apple: AppleSide
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let send: Send

    /// How long a request is tried again while no answer comes.
    static let patience: Duration = .hours(24)

    enum Begun: Sendable {
        case call(Call)
        /// The job ended or was postponed in the same transaction.
        case finished
        /// A token is needed first; nothing was changed.
        case needsToken(SigningKeyInfo, App)
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await work(job)
        }
    }

    private func work(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        for _ in 0..<3 {
            switch try await begin(job, subject.request) {
            case .finished: return
            case .call(let call): return await settle(call, with: await perform(call), job)
            case .needsToken(let key, let app):
                do {
                    try await tokens.make(key, app)
                } catch let error as VaultError {
                    return try await postpone(job, until: clock.now + .minutes(1), because: "\(error)")
                }
            }
        }
        try await postpone(job, until: clock.now + .seconds(1), because: "the signing key changed again and again")
    }

    private func postpone(_ job: Job, until moment: Moment, because why: String) async throws {
        try await database.transaction(.tenant(job.tenant)) { try await job.again(at: moment, error: why, in: $0) }
    }

    // MARK: begin

    private struct NeedsToken: Error {
        let key: SigningKeyInfo
        let app: App
    }

    /// Commits the right to one call, or finds that there is none.
    func begin(_ job: Job, _ request: UUID) async throws -> Begun {
        let tenant = TenantID(rawValue: job.tenant)
        // Before the transaction is sent: the permission's five seconds can only be shorter for it.
        let started = ContinuousClock.now
        do {
            return try await database.transaction(tenant.scope) { tx in
                try await begin(job, request, tenant, started, in: tx)
            }
        } catch let need as NeedsToken {
            return .needsToken(need.key, need.app)
        }
    }

    private func begin(
        _ job: Job, _ id: UUID, _ tenant: TenantID, _ started: ContinuousClock.Instant, in tx: Transaction
    ) async throws -> Begun {
        let now = clock.now
        guard let locked = try await CommerceStore.lock(id, tenant: tenant, in: tx),
            let app = try await TenantStore.app(of: tenant, id: locked.request.app, in: tx)
        else {
            try await job.done(in: tx)
            return .finished
        }
        let request = locked.request
        if let inFlight = locked.progress.attempts.first(where: { $0.result == nil }) {
            // Whatever happened to who began it: its result counts until it is given up.
            try await CommerceStore.save(locked, at: now, in: tx)
            let until = max(now + .seconds(1), inFlight.giveUpAt ?? now)
            try await job.again(at: until + jitter(), error: "a call is in flight", in: tx)
            return .finished
        }
        guard locked.progress.maySend(at: now), let body = request.body else {
            try await CommerceStore.save(locked, at: now, in: tx)
            try await job.done(in: tx)
            return .finished
        }
        if try await CommerceAccessStore.isStopped(
            app: app.id, environment: request.environment, tenant: tenant, in: tx)
        {
            try await Lane.rest(
                locked.lane, until: CommerceAccessStore.forever, why: "stopped until somebody has looked", in: tx)
            try await job.again(at: now, error: "the queue is stopped until somebody has looked", in: tx)
            return .finished
        }
        let isSandbox = request.environment == .sandbox
        guard let key = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
            try await job.again(at: now + .minutes(1), error: "\(VaultError.noKey(tenant, app.id))", in: tx)
            return .finished
        }
        guard tokens.kept(key, app) != nil else { throw NeedsToken(key: key, app: app) }
        guard try await job.isStillMine(in: tx) else { throw ClaimLost(job: job.id) }
        let gate = try await KeyStandings.enter(key.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
        if case .closed(let until) = gate {
            try await job.again(
                at: until + jitter(), error: "Apple refused the signing key, or it is being tried", in: tx)
            return .finished
        }
        guard let wait = try await Lane.takePermit(locked.lane, in: tx) else {
            let wait = try await ReplyStore.laneWait(locked.lane, tx: tx)
            try await KeyStandings.undecided(key.id, isSandbox: isSandbox, of: tenant, in: tx)
            try await Lane.rest(locked.lane, until: now + wait, why: "the next permits are taken", in: tx)
            try await job.again(at: now + wait, error: "the rate limit's next permits are taken", in: tx)
            return .finished
        }
        let number = (request.attempts.map(\.number).max() ?? 0) + 1
        try await CommerceStore.begin(number, of: request, wait: wait, worker: job.worker, key: key.id, in: tx)
        var begun = locked
        begun.progress.attempts.append(CommerceAttempt(number: number, startedAt: now))
        try await CommerceStore.save(begun, at: now, in: tx)
        return .call(
            Call(
                app: app, request: request, body: body, attempt: number, key: key, sendAfter: started + wait,
                sendBy: started + wait + ReplyCall.permission,
                giveUp: started + wait + ReplyCall.permission + ReplyCall.callTotal + ReplyCall.settleAllowance))
    }

    private func jitter() -> Duration { .milliseconds(.random(in: 10...300)) }

    // MARK: send

    /// What came of a call: Apple's word or the network's, or that it was never sent.
    enum Ending: Sendable {
        case outcome(AdvancedCommerceAPI.Outcome)
        case notSent(String)
    }

    func perform(_ call: Call) async -> Ending {
        if call.sendAfter > ContinuousClock.now { try? await Task.sleep(until: call.sendAfter, clock: .continuous) }
        // A stop wakes the sleeper early: the permit's moment is other processes' moment as well.
        guard ContinuousClock.now >= call.sendAfter else {
            return .notSent("the process stopped before the call's turn")
        }
        guard let token = tokens.kept(call.key, call.app) else { return .notSent("the token ended before the call") }
        guard ContinuousClock.now < call.sendBy else {
            return .notSent("the permission to send ended before the call")
        }
        return .outcome(await send(call, token))
    }
}

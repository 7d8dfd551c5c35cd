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

    /// The call of a commerce request.
    struct Call: BegunCall {
        let app: App
        let request: CommerceRequest
        /// The same bytes in every call of the request.
        let body: [UInt8]
        let attempt: Int
        let key: SigningKeyInfo
        var permit: CallPermit

        var tenant: TenantID { request.tenant }
        var name: (kind: String, id: String) { ("request", request.id.text) }
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

    var one: OneCall { OneCall(database: database, tokens: tokens, clock: clock, journal: journal) }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await work(job)
        }
    }

    private func work(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        try await one.run(job, keyLook: .minutes(1)) {
            try await begin(job, subject.request)
        } perform: { call in
            await perform(call)
        } settle: { call, ending in
            await settle(call, with: ending, job)
        }
    }

    // MARK: begin

    /// Commits the right to one call, or finds that there is none.
    func begin(_ job: Job, _ request: UUID) async throws -> Begun<Call> {
        let tenant = TenantID(rawValue: job.tenant)
        return try await one.begin(of: tenant) { tx, started in
            try await begin(job, request, tenant, started, in: tx)
        }
    }

    private func begin(
        _ job: Job, _ id: UUID, _ tenant: TenantID, _ started: ContinuousClock.Instant, in tx: Transaction
    ) async throws -> Begun<Call> {
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
        let gate = try await KeyStandings.enter(
            key.id, for: app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
        if case .closed(let until) = gate {
            try await job.again(
                at: until + jitter(), error: "Apple refused the signing key, or it is being tried", in: tx)
            return .finished
        }
        guard let wait = try await Lane.takePermit(locked.lane, in: tx) else {
            let wait = try await ReplyStore.laneWait(locked.lane, tx: tx)
            try await KeyStandings.undecided(key.id, for: app.id, isSandbox: isSandbox, of: tenant, in: tx)
            try await Lane.rest(locked.lane, until: now + wait, why: "the next permits are taken", in: tx)
            try await job.again(at: now + wait, error: "the rate limit's next permits are taken", in: tx)
            return .finished
        }
        let given = ContinuousClock.now
        let number = (request.attempts.map(\.number).max() ?? 0) + 1
        var begun = locked
        begun.progress.attempts.append(CommerceAttempt(number: number, startedAt: now))
        let beginning = CommerceStore.beginning(number, of: request, wait: wait, worker: job.worker, key: key.id)
        try await CommerceStore.save(begun, after: [beginning], at: now, in: tx)
        return .call(
            Call(
                app: app, request: request, body: body, attempt: number, key: key,
                permit: CallPermit(after: wait, asked: started, given: given)))
    }

    private func jitter() -> Duration { .milliseconds(.random(in: 10...300)) }

    // MARK: send

    /// What came of a call: Apple's word or the network's, or that it was never sent.
    enum Ending: Sendable {
        case outcome(AdvancedCommerceAPI.Outcome)
        case notSent(String)
    }

    func perform(_ call: Call) async -> Ending {
        switch await one.turn(of: call) {
        case .notSent(let why): .notSent(why)
        case .send(let token): .outcome(await send(call, token))
        }
    }
}

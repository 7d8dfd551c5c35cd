import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Synchronization
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
    let lateness: Lateness
    let send: Send

    /// How long a request is tried again while no answer comes.
    static let patience: Duration = .hours(24)

    var one: OneCall { OneCall(database: database, tokens: tokens, clock: clock, journal: journal) }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await work([job])
        }
    }

    /// Does jobs of one lane that were claimed together. Where they cannot be begun together, each is done by itself,
    /// so that one does not stand in the others' way.
    func run(_ jobs: [Job]) async throws {
        if jobs.count > 1 {
            do {
                return try await work(jobs)
            } catch is ClaimLost {
                return
            } catch {
                journal.debug("requests of a lane cannot be begun together", ["error": .init(error)])
            }
        }
        var failure: (any Error)?
        for job in jobs {
            do { try await run(job) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func work(_ jobs: [Job]) async throws {
        guard let first = jobs.first else { return }
        // A token is made outside the transaction and kept for minutes, so the second round is rare.
        for _ in 0..<3 {
            switch try await begin(jobs) {
            case .calls(let begun):
                let stop = StopSign()
                return await withTaskGroup(of: Void.self) { group in
                    // One after the other each takes its turn, so that a lane is asked once for each call; answers are
                    // waited for side by side.
                    for (job, call) in begun {
                        let turn = await one.turn(of: call, unless: { stop.why })
                        group.addTask { await settle(call, with: await perform(call, turn, stop), job) }
                    }
                }
            case .needsToken(let key, let app):
                do {
                    try await tokens.make(key, app)
                } catch let error as VaultError {
                    return try await postpone(jobs, first, until: clock.now + .minutes(1), because: "\(error)")
                }
            }
        }
        try await postpone(
            jobs, first, until: clock.now + .seconds(1), because: "the signing key changed again and again")
    }

    private func postpone(_ jobs: [Job], _ first: Job, until moment: Moment, because why: String) async throws {
        try await database.transaction(.tenant(first.tenant)) { tx in
            for job in try await held(jobs, in: tx) { try await job.again(at: moment, error: why, in: tx) }
        }
    }

    // MARK: begin

    /// What the first step came to for jobs of one lane.
    enum BegunLot: Sendable {
        /// Their rows are committed; the calls follow. The other jobs ended or were postponed.
        case calls([(Job, Call)])
        /// A token is needed first; nothing was changed.
        case needsToken(SigningKeyInfo, App)
    }

    /// Commits the right to one call for each job, or finds that there is none.
    ///
    /// - Throws: `ClaimLost` where the claim of none of them stands.
    func begin(_ jobs: [Job]) async throws -> BegunLot {
        guard let tenant = jobs.first.map({ TenantID(rawValue: $0.tenant) }) else { return .calls([]) }
        var jobOf: [UUID: Job] = [:]
        for job in jobs {
            jobOf[try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8)).request] = job
        }
        // Before the transaction is sent: the permissions' five seconds can only be shorter for it.
        let asked = ContinuousClock.now
        do {
            return .calls(
                try await database.transaction(tenant.scope) { tx in
                    try await begin(jobOf, tenant, asked, in: tx)
                })
        } catch let need as NeedsToken {
            return .needsToken(need.key, need.app)
        }
    }

    private func held(_ jobs: [Job], in tx: Transaction) async throws -> [Job] {
        try Self.held(jobs, try await tx.rows(Job.held(jobs)))
    }

    private static func held(_ jobs: [Job], _ rows: [Row]) throws -> [Job] {
        let ids: Set<Int64> = Set(try rows.map { try $0("job_id") })
        return jobs.filter { ids.contains($0.id) }
    }

    private func begin(
        _ jobOf: [UUID: Job], _ tenant: TenantID, _ asked: ContinuousClock.Instant, in tx: Transaction
    ) async throws -> [(Job, Call)] {
        let now = clock.now
        let all = jobOf.sorted { ($0.value.deadline, $0.value.id) < ($1.value.deadline, $1.value.id) }
        guard let first = all.first?.value else { return [] }
        let (locked, also) = try await CommerceStore.lock(
            all.map(\.key), tenant: tenant, also: [Job.held(all.map(\.value))], in: tx)
        let mine = Set(try Self.held(all.map(\.value), also[0]).map(\.id))
        guard !mine.isEmpty else { throw ClaimLost(job: first.id) }
        let lane = first.lane
        let app = try await TenantStore.app(of: tenant, id: AppID(rawValue: Lane.app(of: lane)), in: tx)
        var ready: [(job: Job, locked: LockedCommerce, body: [UInt8])] = []
        for (id, job) in all where mine.contains(job.id) {
            guard let request = locked[id], app != nil, request.lane == lane else {
                try await job.done(in: tx)
                continue
            }
            if let inFlight = request.progress.attempts.first(where: { $0.result == nil }) {
                // Whatever happened to who began it: its result counts until it is given up.
                try await CommerceStore.save(request, at: now, in: tx)
                let until = max(now + .seconds(1), inFlight.giveUpAt ?? now)
                try await job.again(at: until + jitter(), error: "a call is in flight", in: tx)
            } else if request.progress.maySend(at: now), let body = request.request.body {
                ready.append((job, request, body))
            } else {
                try await CommerceStore.save(request, at: now, in: tx)
                try await job.done(in: tx)
            }
        }
        guard let app, !ready.isEmpty else { return [] }
        guard let leave = try await leave(ready.count, lane, app, ready.map(\.job), at: now, in: tx) else { return [] }
        let given = ContinuousClock.now
        for (job, _, _) in ready.dropFirst(leave.waits.count) {
            try await job.again(at: now + .seconds(1), error: "the signing key is being tried", in: tx)
        }
        var calls: [(Job, Call)] = []
        var beginnings: [CommerceStore.Beginning] = []
        var (sending, others): ([UUID], [SQL]) = ([], [])
        for ((job, locked, body), wait) in zip(ready, leave.waits) {
            let request = locked.request
            let number = (request.attempts.map(\.number).max() ?? 0) + 1
            beginnings.append(CommerceStore.Beginning(request: request, number: number, wait: wait))
            var begun = locked
            begun.progress.attempts.append(CommerceAttempt(number: number, startedAt: now))
            if begun.progress.facts.isEmpty {
                sending.append(request.id)
            } else {
                others += CommerceStore.saving(begun, at: now)
            }
            calls.append(
                (
                    job,
                    Call(
                        app: app, request: request, body: body, attempt: number, key: leave.key,
                        permit: CallPermit(after: wait, asked: asked, given: given))
                ))
        }
        try await tx.finish(
            with: [CommerceStore.begin(beginnings, of: tenant, worker: first.worker, key: leave.key.id)]
                + (sending.isEmpty ? [] : [CommerceStore.sending(sending, of: tenant, at: now)]) + others)
        return calls
    }

    /// A key, and when these jobs' calls or the first of them may expect their permits; nil where nothing may be sent just now: then
    /// all of them were postponed.
    private func leave(
        _ count: Int, _ lane: Int64, _ app: App, _ jobs: [Job], at now: Moment, in tx: Transaction
    ) async throws -> (key: SigningKeyInfo, waits: [Duration])? {
        let (tenant, isSandbox) = (app.tenant, Lane.isSandbox(lane))
        func postpone(until moment: () -> Moment, _ why: String) async throws {
            for job in jobs { try await job.again(at: moment(), error: why, in: tx) }
        }
        if try await CommerceAccessStore.isStopped(
            app: app.id, environment: isSandbox ? .sandbox : .production, tenant: tenant, in: tx)
        {
            try await Lane.rest(
                lane, until: CommerceAccessStore.forever, why: "stopped until somebody has looked", in: tx)
            try await postpone(until: { now }, "the queue is stopped until somebody has looked")
            return nil
        }
        guard let key = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
            try await postpone(until: { now + .minutes(1) }, "\(VaultError.noKey(tenant, app.id))")
            return nil
        }
        guard tokens.isReady(key, app) else { throw NeedsToken(key: key, app: app) }
        let (gate, isTrial) = try await KeyStandings.enter(
            several: key.id, for: app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
        if case .closed(let until) = gate {
            try await postpone(until: { until + jitter() }, "Apple refused the signing key, or it is being tried")
            return nil
        }
        guard let waits = try await Lane.outlook(isTrial ? 1 : count, of: lane, in: tx) else {
            let wait = try await ReplyStore.laneWait(lane, tx: tx)
            try await KeyStandings.undecided(key.id, for: app.id, isSandbox: isSandbox, of: tenant, in: tx)
            try await Lane.rest(lane, until: now + wait, why: "the next permits are taken", in: tx)
            try await postpone(until: { now + wait }, "the rate limit's next permits are taken")
            return nil
        }
        return (key, waits)
    }

    private func jitter() -> Duration { .milliseconds(.random(in: 10...300)) }

    // MARK: send

    /// What came of a call: Apple's word or the network's, or that it was never sent.
    enum Ending: Sendable {
        case outcome(AdvancedCommerceAPI.Outcome)
        case notSent(String)
    }

    /// Says to the calls of a lot that wait for their turns why none of them may follow.
    final class StopSign: Sendable {
        private let state = Mutex<String?>(nil)

        var why: String? { state.withLock { $0 } }

        func raise(_ why: String) { state.withLock { $0 = $0 ?? why } }
    }

    func perform(_ call: Call, _ stop: StopSign = StopSign()) async -> Ending {
        await perform(call, await one.turn(of: call, unless: { stop.why }), stop)
    }

    private func perform(_ call: Call, _ turn: OneCall.Turn, _ stop: StopSign) async -> Ending {
        switch turn {
        case .notSent(let why): return .notSent(why)
        case .send(let token, let taken):
            let outcome = await send(call, token)
            await one.keepOthers(behind: taken, of: call, lateness)
            if outcome.result.stopsOthers { stop.raise("another call was answered: \(outcome.result.text)") }
            return .outcome(outcome)
        }
    }
}

extension AdvancedCommerceResult {
    /// Whether the answer is about all calls of its app: none of them may follow before it is recorded.
    fileprivate var stopsOthers: Bool {
        switch self {
        case .rateLimited, .doubted, .credentials: true
        case .accepted, .refused, .retry, .unknown, .notSent: false
        }
    }
}

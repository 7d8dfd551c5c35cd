import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// The one call: decides a request and sends its reply.
///
/// Exactly once cannot be had: between the last byte written and the answer read only Apple knows. What is
/// kept, by constraints and locks: one body for each round, for ever; never two calls in flight for one
/// transaction; none after one that was accepted or refused; a repeat has the same bytes; no call without
/// consent, for a superseded request, after Apple decided, or after the deadline, as of the moment its
/// attempt was committed. Three steps, each of which may be the last of a process: begin, send, settle.
struct ReplyJob: Sendable {
    /// Hands a call to the network.
    typealias Send = @Sendable (ReplyCall, Redacted<String>) async -> CallResult

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let policies: PolicyShelf
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let send: Send

    var one: OneCall { OneCall(database: database, tokens: tokens, clock: clock, journal: journal) }

    func run(_ job: Job) async throws {
        // Trouble of our own must not use up the five minutes of a sandbox.
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .seconds(20)) {
            try await reply(job)
        }
    }

    private func reply(_ job: Job) async throws {
        let subject = try ReplySubject(job)
        try await one.run(job, keyLook: ReplyPlan.keyLook(looks: job.attempts)) {
            try await begin(job, subject)
        } perform: { call in
            await perform(call)
        } settle: { call, result in
            await settle(call, with: result, job)
        }
    }

    // MARK: begin

    /// Decides and commits the right to one call, or finds that there is none.
    func begin(_ job: Job, _ subject: ReplySubject) async throws -> Begun<ReplyCall> {
        let tenant = TenantID(rawValue: job.tenant)
        return try await one.begin(of: tenant) { tx, started in
            try await begin(job, subject, tenant, started, in: tx)
        }
    }

    private func begin(
        _ job: Job, _ subject: ReplySubject, _ tenant: TenantID, _ started: ContinuousClock.Instant,
        in tx: Transaction
    ) async throws -> Begun<ReplyCall> {
        let now = clock.now
        guard var locked = try await CaseStore.lock(subject.case, tenant: tenant, in: tx),
            let round = locked.round(subject.round),
            let app = try await TenantStore.app(of: tenant, id: locked.app, in: tx)
        else {
            try await job.done(in: tx)
            return .finished
        }
        if let inFlight = locked.value.rounds.lazy.flatMap(\.attempts).first(where: { $0.result == nil }) {
            // Whatever happened to who began it: its result counts until it is given up.
            try await job.again(at: later(now, inFlight.giveUpAt), error: "a call is in flight", in: tx)
            return .finished
        }
        let isHeld = locked.value.standing(of: round, at: now).state == .held
        guard isHeld || canBeOpen(round, in: locked, at: now), round.window.mayBegin(at: now) else {
            return try await finish(job, &locked, at: now, in: tx)
        }
        guard
            let transaction = try await TransactionStore.find(
                locked.transactionID, environment: locked.environment, app: locked.app, tenant: tenant, in: tx)
        else { throw PostgresError(.misuse, "a case without its transaction") }
        let frozen = try await ReplyStore.body(of: round.id, in: locked, tx: tx)
        if frozen == nil, !isHeld, app.isAsked,
            let until = try await waitsForCallback(round, locked, transaction, at: now, in: tx)
        {
            try await job.again(at: later(now, until), error: "the app's server is asked", in: tx)
            return .finished
        }
        let known = try await FactsReader.read(transaction, locked, round, app, at: now, in: tx)
        let facts = round.answer?.adding(to: known.facts) ?? known.facts
        let policy = policies.policy(known.policy, of: app.id)
        var decision = policy.decide(facts)
        decision.policyVersion = known.policy?.number
        let missing = policy.missing(in: facts)
        if let answer = round.answer { decision = answer.deciding(decision) }
        decision.missing = missing.isEmpty ? nil : missing
        if let until = round.heldUntil, isHeld, decision.withheld?.forbidsRepeats != true {
            // Whatever else is known by now: the person decides.
            try await job.again(at: later(now, until), error: "a person is asked", in: tx)
            return .finished
        }
        let kept = DecisionStore.keeping(
            decision, of: round, known,
            shadow: known.shadow.flatMap { shadow in
                policies.policy(shadow, of: app.id)?.rule(for: facts).map { (shadow.number, $0) }
            }, facts: facts, in: locked, at: now)
        if decision.hold != nil, frozen == nil, mayAsk(about: round), now < round.window.askUntil {
            return try await ask(decision, kept, round, &locked, job, at: now, in: tx)
        }
        if decision.hold != nil { decision.remarks.append(Self.nobodyAnswered(round)) }
        // What was decided stays decided: a rule that is changed later does not stop its repeats, a withdrawal does.
        if let withheld = decision.withheld, frozen == nil || withheld.forbidsRepeats {
            return try await withhold(
                decision, kept, round, &locked, of: app, isFrozen: frozen != nil, job, at: now, in: tx)
        }
        if let withheld = round.withheld {
            // What was missing is there: open again, whether or not a call can begin at once.
            let reopening = CaseStore.setting(withheld: nil, of: round.id, in: &locked)
            let note = CaseStore.noting("reopened", detail: Self.note(round, withheld), of: locked, at: now)
            try await CaseStore.save(&locked, after: [reopening, note], at: now, in: tx)
        }

        let isSandbox = locked.environment == .sandbox
        guard let key = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
            try await job.again(
                at: now + ReplyPlan.keyLook(looks: job.attempts), error: "\(VaultError.noKey(tenant, app.id))", in: tx)
            return .finished
        }
        guard tokens.isReady(key, app) else { throw NeedsToken(key: key, app: app) }
        guard try await job.isStillMine(in: tx) else { throw ClaimLost(job: job.id) }
        let gate = try await KeyStandings.enter(
            key.id, for: app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
        if case .closed(let until) = gate {
            // Somebody else began to try the refused key in this moment: the older one signs meanwhile.
            if let other = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx),
                other.id != key.id
            {
                throw NeedsToken(key: other, app: app)
            }
            try await job.again(
                at: until + jitter(), error: "Apple refused the signing key, or it is being tried", in: tx)
            return .finished
        }
        guard let wait = try await Lane.takePermit(locked.lane, in: tx) else {
            let wait = try await ReplyStore.laneWait(locked.lane, tx: tx)
            try await KeyStandings.undecided(key.id, for: app.id, isSandbox: isSandbox, of: tenant, in: tx)
            try await job.again(at: now + wait + jitter(), error: "the rate limit's next permits are taken", in: tx)
            return .finished
        }
        let given = ContinuousClock.now

        let version: AppStoreServerAPI.ConsumptionVersion
        let body: [UInt8]
        var acts: [SQL] = []
        if let frozen {
            (version, body) = frozen
        } else {
            let reply = try ConsumptionReply.lawful(&decision, for: facts)
            decision.remarks += reply.remarks
            (version, body) = (reply.version, reply.body)
            acts.append(
                ReplyStore.freezing(reply, of: round.id, consent: facts.consent.changeNo, in: locked, at: now))
            acts.append(try CaseStore.keeping(decision, of: round.id, in: &locked, at: now))
            acts.append(kept)
        }
        if frozen == nil { countHeld(round, of: app) }
        let number = (round.attempts.map(\.number).max() ?? 0) + 1
        acts.append(
            ReplyStore.beginning(number, of: round.id, in: locked, wait: wait, worker: job.worker, key: key.id))
        locked.begin(number, of: round.id, at: now)
        try await CaseStore.save(&locked, after: acts, at: now, in: tx)
        return .call(
            ReplyCall(
                app: app, caseID: locked.id, round: round.id, attempt: number, window: round.window,
                version: version, transactionID: locked.transactionID, environment: locked.environment, body: body,
                key: key, permit: CallPermit(after: wait, asked: started, given: given)))
    }

    /// Until when the app's server is waited for; it is asked first, once for each round. Nil: it is not, or no more.
    private func waitsForCallback(
        _ round: Round, _ locked: LockedCase, _ transaction: StoredTransaction, at now: Moment, in tx: Transaction
    ) async throws -> Moment? {
        if let ask = try await AskStore.find(round.id, of: locked, in: tx) {
            return ask.state == .waiting && now < ask.waitUntil ? ask.waitUntil : nil
        }
        let ownership = try transaction.payload().inAppOwnershipType?.known
        guard ownership != .familyShared, ownership != .assigned, AskPlan.isWorthAsking(round.window, at: now) else {
            return nil
        }
        try await AskStore.begin(round, of: locked, at: now, in: tx)
        return round.window.callbackUntil
    }

    /// Whether the round would be open if nothing were withheld: then, and only then, it is decided (again).
    private func canBeOpen(_ round: Round, in locked: LockedCase, at now: Moment) -> Bool {
        var asked = round
        asked.withheld = nil
        asked.heldUntil = nil
        return locked.value.standing(of: asked, at: now).state == .open
    }

    private func finish(
        _ job: Job, _ locked: inout LockedCase, after acts: [SQL] = [], at now: Moment, in tx: Transaction
    ) async throws -> Begun<ReplyCall> {
        try await CaseStore.save(&locked, after: acts, at: now, in: tx)
        try await job.done(in: tx)
        return .finished
    }

    private func withhold(
        _ decision: Decision, _ kept: SQL, _ round: Round, _ locked: inout LockedCase, of app: App, isFrozen: Bool,
        _ job: Job,
        at now: Moment, in tx: Transaction
    ) async throws -> Begun<ReplyCall> {
        var decision = decision
        if round.hasUnknownAttempt { decision.remarks.append("One call may have arrived.") }
        var acts: [SQL] = []
        if isFrozen {
            // The body stays as the decision of its time made it: what follows is a remark.
            acts.append(CaseStore.setting(withheld: decision.withheld, of: round.id, in: &locked))
            acts.append(
                CaseStore.noting(
                    "withheld-after-sending", detail: try CaseStore.json(decision), of: locked, at: now))
        } else {
            acts.append(try CaseStore.keeping(decision, of: round.id, in: &locked, at: now))
            acts.append(kept)
        }
        // Consent that ended while a person was asked: nobody decided.
        let wasHeld = round.heldUntil.map { now < $0 } ?? false
        if !isFrozen, !wasHeld { countHeld(round, of: app) }
        counters.count(
            "replies_withheld_total", ["reason": decision.withheld?.rawValue ?? ""], of: app,
            help: "Requests to which nothing is sent on purpose, by reason.")
        return try await finish(job, &locked, after: acts, at: now, in: tx)
    }

    private static func note(_ round: Round, _ withheld: Withholding) -> String {
        #"{"round":"\#(round.id.uuidString.lowercased())","was":"\#(withheld.rawValue)"}"#
    }

    /// Nobody is asked twice; what was withheld meanwhile waits for its answer again.
    private func mayAsk(about round: Round) -> Bool {
        round.askedUntil == nil || (round.withheld != nil && round.answer == nil)
    }

    /// Waits for a person; the same job goes on when the time is up.
    private func ask(
        _ decision: Decision, _ kept: SQL, _ round: Round, _ locked: inout LockedCase, _ job: Job, at now: Moment,
        in tx: Transaction
    ) async throws -> Begun<ReplyCall> {
        let until = round.window.askUntil
        var acts = [try CaseStore.asking(decision, until: until, about: round.id, in: &locked, at: now), kept]
        if let withheld = round.withheld {
            acts.append(CaseStore.noting("reopened", detail: Self.note(round, withheld), of: locked, at: now))
        }
        try await CaseStore.save(&locked, after: acts, at: now, in: tx)
        try await job.again(at: later(now, until), error: "a person is asked", in: tx)
        return .finished
    }

    /// A request that a person was asked about is decided.
    private func countHeld(_ round: Round, of app: App) {
        guard round.askedUntil != nil, round.withheld == nil else { return }
        let by = round.answer.map { $0.person == nil ? "api" : "person" } ?? "nobody"
        counters.count(
            "held_cases_decided_total", ["by": by], of: app,
            help: "Requests that waited for a person, by who decided: a person, the tenant's server, or nobody in time."
        )
    }

    private static func nobodyAnswered(_ round: Round) -> String {
        round.askedUntil == nil
            ? "A person should have been asked, but there was too little time left."
            : "A person was asked, and nobody answered in time."
    }

    // MARK: small things

    /// At least a second from now; what waits together does not come back together.
    private func later(_ now: Moment, _ moment: Moment) -> Moment { max(now + .seconds(1), moment) + jitter() }

    private func jitter() -> Duration { .milliseconds(.random(in: 10...300)) }
}

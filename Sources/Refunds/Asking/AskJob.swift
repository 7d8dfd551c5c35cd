import AppStore
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Asks an app's server what it knows of a purchase about which Apple asks.
///
/// One job for each round and so never two questions about it at once; a process that dies in between leaves a try of
/// which nobody knows the end, and a job that asks again, with the same `webhook-id`. The reply waits until the answer is here or the question's time is
/// over, and not longer: it is planned backwards from the deadline.
struct AskJob: Sendable {
    /// Hands one call to the network.
    typealias Ask = @Sendable (ClientRequest) async throws(HTTPClientError) -> ClientResponse

    let database: Database
    let vault: Vault
    let seats: AskSeats
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let ask: Ask

    /// What is asked, and when its time is over.
    private struct Matter: Sendable {
        let app: App
        let question: CallbackQuestion
        let url: String
        let window: ReplyWindow
        /// The try that was begun: the first is 1.
        let number: Int
    }

    /// What a try brought for its question.
    private enum Ending: Sendable {
        case notYet
        /// The reply waits no longer.
        case over(AskStore.Ask.State)
    }

    private enum Next: Sendable {
        case ask(Matter)
        /// As it ended, where it ended just now.
        case over(AskStore.Ask.State?, App?)
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .seconds(10)) {
            try await take(job)
        }
    }

    private func take(_ job: Job) async throws {
        // Before anything is looked at: after an outage a great many may wait for a few seats.
        let place = AppID(rawValue: Lane.app(of: job.lane))
        guard seats.take(place) else {
            let ceiling: Duration = Lane.isSandbox(job.lane) ? .seconds(2) : .seconds(60)
            return try await postpone(
                job, for: RetryPolicy.delay(attempt: job.attempts, ceiling: ceiling), "other questions are under way")
        }
        defer { seats.give(place) }
        let subject = try ReplySubject(job)
        let tenant = TenantID(rawValue: job.tenant)
        let next = try await database.transaction(tenant.scope) { tx in
            try await look(subject, tenant, job, in: tx)
        }
        let matter: Matter
        switch next {
        case .ask(let found): matter = found
        case .over(let state, let app):
            count(state, of: app)
            return bell.ring()
        }
        let secrets: [WebhookSecret]
        do {
            let text = try await vault.callbackSecret(of: matter.app)?.reveal() ?? ""
            secrets = Self.signing(WebhookSecret.list(text) ?? [], matter.app, at: clock.now)
        } catch let error as VaultError {
            return try await settle(.again("\(error)", status: nil), matter, subject, job)
        }
        guard !secrets.isEmpty else {
            return try await settle(.refused("there is no secret to sign with", status: nil), matter, subject, job)
        }
        let outcome: CallbackOutcome
        do throws(HTTPClientError) {
            let request = matter.question.request(to: matter.url, secrets: secrets, at: clock.now)
            outcome = CallbackOutcome(try await ask(request), at: clock.now)
        } catch {
            outcome = CallbackOutcome(error)
        }
        try await settle(outcome, matter, subject, job)
    }

    /// Those that signed before sign for a day beside the newest.
    static func signing(_ secrets: [WebhookSecret], _ app: App, at now: Moment) -> [WebhookSecret] {
        let isReplacing = app.callbackSecretAt.map { now < $0 + TenantStore.callbackOverlap } ?? false
        return isReplacing ? secrets : Array(secrets.prefix(1))
    }

    // MARK: looking

    private func look(_ subject: ReplySubject, _ tenant: TenantID, _ job: Job, in tx: Transaction) async throws -> Next
    {
        let now = clock.now
        guard let locked = try await CaseStore.lock(subject.case, tenant: tenant, in: tx),
            let round = locked.round(subject.round),
            let ask = try await AskStore.find(round.id, of: locked, in: tx), ask.state == .waiting
        else {
            try await job.done(in: tx)
            return .over(nil, nil)
        }
        let app = try await TenantStore.app(of: tenant, id: locked.app, in: tx)
        if let app, now >= round.window.callbackUntil {
            try await AskStore.wentUnanswered(app, in: tx)
            try await end(.silent, round, locked, "its time is over", tries: ask.tries, job, at: now, in: tx)
            return .over(.silent, app)
        }
        guard let app, app.isAsked, let url = app.callbackURL, isOpen(round, in: locked, at: now) else {
            try await end(
                .ended, round, locked, "nothing is to be asked any more", tries: ask.tries, job, at: now, in: tx)
            return .over(.ended, app)
        }
        // A server that is away is left alone, whichever request it is about.
        if let until = try await AskStore.standing(of: app, in: tx).pausedUntil, until > now,
            locked.environment == .production
        {
            try await job.again(
                at: min(until, round.window.callbackUntil) + .milliseconds(.random(in: 10...500)),
                error: "the app's server is left alone for a while", in: tx)
            return .over(nil, app)
        }
        guard
            let transaction = try await TransactionStore.find(
                locked.transactionID, environment: locked.environment, app: locked.app, tenant: tenant, in: tx)
        else { throw PostgresError(.misuse, "a case without its transaction") }
        let question = CallbackQuestion(
            id: CallbackQuestion.id(of: round.id, tenant: tenant), bundleID: app.bundleID,
            environment: locked.environment, transactionID: transaction.id,
            originalTransactionID: transaction.original, productID: transaction.product,
            appAccountToken: transaction.customer,
            reason: locked.value.facts.first { $0.id == round.id && $0.kind == .request }?.reason,
            signedAt: round.window.signedAt, deadline: round.window.deadline)
        guard try await job.isStillMine(in: tx) else { throw ClaimLost(job: job.id) }
        guard let number = try await AskStore.beginTry(of: round.id, locked, at: now, in: tx) else {
            throw PostgresError(.misuse, "a question that waits, and does not")
        }
        return .ask(Matter(app: app, question: question, url: url, window: round.window, number: number))
    }

    /// Whether an answer could still change what is sent.
    private func isOpen(_ round: Round, in locked: LockedCase, at now: Moment) -> Bool {
        var asked = round
        asked.withheld = nil
        return [.open, .held].contains(locked.value.standing(of: asked, at: now).state)
    }

    private func postpone(_ job: Job, for wait: Duration, _ why: String) async throws {
        let now = clock.now
        try await database.transaction(.tenant(job.tenant)) { tx in
            try await job.again(at: now + wait, error: why, in: tx)
        }
    }

    // MARK: settling

    private func settle(
        _ outcome: CallbackOutcome, _ matter: Matter, _ subject: ReplySubject, _ job: Job
    ) async throws {
        let now = clock.now
        let app = matter.app
        let ended: Ending? = try await database.transaction(app.tenant.scope) { tx in
            // The case first, then what was reported: the order in which senders take these locks.
            guard let locked = try await CaseStore.lock(subject.case, tenant: app.tenant, in: tx),
                let round = locked.round(subject.round)
            else {
                try await job.done(in: tx)
                return .notYet
            }
            // What came of it is true, whoever has the job by now.
            try await record(outcome, of: matter, round, locked, at: now, in: tx)
            guard try await job.isStillMine(in: tx) else { return nil }
            return try await settle(outcome, matter, round, locked, job, at: now, in: tx)
        }
        guard let ended else { throw ClaimLost(job: job.id) }
        counters.count(
            "callbacks_total", ["result": outcome.result], of: app,
            help: "Questions to apps' servers about refund requests, by what came of them.")
        guard case .over(let state) = ended else { return }
        count(state, of: app)
        bell.ring()
    }

    private func count(_ state: AskStore.Ask.State?, of app: App?) {
        guard let state, let app else { return }
        counters.count(
            "callback_questions_total", ["result": state.rawValue], of: app,
            help: "Refund requests about which apps' servers were asked, by how the question ended.")
    }

    private func record(
        _ outcome: CallbackOutcome, of matter: Matter, _ round: Round, _ locked: LockedCase, at now: Moment,
        in tx: Transaction
    ) async throws {
        switch outcome {
        case .notAsked: try await AskStore.takeBackTry(matter.number, of: round.id, locked, in: tx)
        case .cutOff: break
        case .answered(_, let status):
            try await AskStore.endTry(
                matter.number, of: round.id, locked, .answered, status: status, why: nil, at: now, in: tx)
        case .refused(let why, let status, _):
            try await AskStore.endTry(
                matter.number, of: round.id, locked, .refused, status: status, why: why, at: now, in: tx)
        case .again(let why, let status, _):
            try await AskStore.endTry(
                matter.number, of: round.id, locked, .failed, status: status, why: why, at: now, in: tx)
        }
    }

    private func settle(
        _ outcome: CallbackOutcome, _ matter: Matter, _ round: Round, _ locked: LockedCase, _ job: Job, at now: Moment,
        in tx: Transaction
    ) async throws -> Ending {
        let (app, random) = (matter.app, Double.random(in: 0...1))
        switch outcome {
        case .notAsked(let why), .cutOff(let why):
            try await job.again(at: now + .seconds(1), error: why, in: tx)
            return .notYet
        case .answered(let answer, let status):
            var answer = answer
            try await take(&answer, matter.question, app, at: now, in: tx)
            try await AskStore.succeeded(app, at: now, in: tx)
            try await AskStore.note(
                .answered, of: round.id, locked, tried: true, status: status, error: nil,
                answer: AskRecord(answer).json, at: now, in: tx)
            try await conclude(
                AskRecord.Remark(
                    result: "answered", tries: matter.number, taken: answer.taken, troubles: answer.troubles,
                    note: answer.note), round, locked, job, at: now, in: tx)
            return .over(.answered)
        case .refused(let why, let status, let objection):
            try await AskStore.failed(
                app, because: why, isLast: true, pausedUntil: nil, at: now, in: tx)
            try await AskStore.note(
                .refused, of: round.id, locked, tried: true, status: status, error: why,
                answer: objection.map { AskRecord(objection: $0).json }, at: now, in: tx)
            try await conclude(
                AskRecord.Remark(result: "refused", tries: matter.number, why: why), round, locked, job, at: now,
                in: tx)
            return .over(.refused)
        case .again(let why, let status, let retryAfter):
            let failures = try await AskStore.standing(of: app, in: tx).failures + 1
            let pause = AskPlan.pause(after: failures, in: locked.environment, random: random)
            let next = AskPlan.next(
                after: matter.number, retryAfter: retryAfter, window: matter.window, at: now, random: random)
            try await AskStore.failed(
                app, because: why, isLast: next == nil, pausedUntil: pause.map { now + $0 }, at: now, in: tx)
            try await AskStore.note(
                next == nil ? .silent : .waiting, of: round.id, locked, tried: true, status: status, error: why,
                at: now,
                in: tx)
            if let next {
                try await job.again(at: next, error: why, in: tx)
                return .notYet
            }
            try await conclude(
                AskRecord.Remark(result: "silent", tries: matter.number, why: why), round, locked, job, at: now,
                in: tx)
            return .over(.silent)
        }
    }

    /// Puts what was said where evidence is kept.
    private func take(
        _ answer: inout CallbackAnswer, _ question: CallbackQuestion, _ app: App, at now: Moment, in tx: Transaction
    ) async throws {
        if let customer = answer.appAccountToken {
            if let own = question.appAccountToken {
                answer.appAccountToken = nil
                if own != ConsentLedger.Key.spelled(customer) {
                    answer.troubles.append("appAccountToken was not taken: the purchase itself names another customer")
                }
            } else {
                try await NamingStore.told(
                    customer, of: question.originalTransactionID, question.environment, app: app, at: now, in: tx)
            }
        }
        if let consent = answer.consent {
            let subject: ConsentLedger.Subject =
                question.appAccountToken.map { .customer(appAccountToken: $0) }
                ?? .purchase(transactionID: question.transactionID)
            do {
                try await ConsentLedger.record(
                    ConsentLedger.Report(
                        consented: consent.consented, recordedAt: consent.recordedAt,
                        wordingVersion: consent.wordingVersion, source: "callback"),
                    of: subject, tenant: app.tenant, app: app.id, at: now, in: tx)
            } catch let refusal as ConsentLedger.Refusal {
                answer.consent = nil
                answer.troubles.append("consent was not taken: \(refusal)")
            }
        }
        guard answer.saysOfUse else { return }
        try await UsageStore.record(
            UsageStore.Report(
                transactionID: question.transactionID, deliveryStatus: answer.deliveryStatus,
                consumptionPercentage: answer.consumptionPercentage,
                sampleContentProvided: answer.sampleContentProvided, observedAt: answer.observedAt ?? now,
                source: .callback), tenant: app.tenant, app: app.id, at: now, in: tx)
    }

    private func end(
        _ state: AskStore.Ask.State, _ round: Round, _ locked: LockedCase, _ why: String, tries: Int, _ job: Job,
        at now: Moment, in tx: Transaction
    ) async throws {
        try await AskStore.note(state, of: round.id, locked, tried: false, status: nil, error: nil, at: now, in: tx)
        try await conclude(
            AskRecord.Remark(result: state.rawValue, tries: tries, why: why), round, locked, job, at: now, in: tx)
    }

    /// Tells it on the case, lets the reply go, ends.
    private func conclude(
        _ remark: AskRecord.Remark, _ round: Round, _ locked: LockedCase, _ job: Job, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(CaseStore.noting("callback", detail: remark.json, of: locked, at: now))
        try await Enqueue.hurry(
            tenant: locked.tenant.rawValue, kind: RefundJobs.Kind.reply.rawValue, uniqueKey: round.id.uuidString, in: tx
        )
        try await job.done(in: tx)
    }
}

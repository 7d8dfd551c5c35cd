import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Reads one page of an app's notification history, and asks for the next one.
///
/// What Apple could not deliver goes the way of a delivery from there on; what arrived is counted. A page, what it
/// brought and the token of the next one are one commit. Every turn is a job of its own, so that replies of the same
/// app come in between.
struct HistoryJob: Sendable {
    typealias Ask =
        @Sendable (
            _ app: App, _ history: NotificationHistoryRequest, _ page: String?, _ environment: Environment,
            _ token: Redacted<String>
        ) async -> HistoryResult

    /// Until when a page should have been read, from its time on; orders the queue.
    static let readWithin: Duration = .minutes(10)
    /// The longest wait between two tries of a page.
    private static let retryCeiling: Duration = .minutes(5)

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let intake: HistoryIntake
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    var limits = HistoryLimits()
    let ask: Ask

    struct Subject: Codable, Sendable, Hashable {
        let app: Int64
        let environment: String
        /// The moment of the permit with which it comes back, in milliseconds: for one call.
        var permit: Int64?

        func text(permit: Moment? = nil) throws -> String {
            let subject = Subject(app: app, environment: environment, permit: permit?.milliseconds)
            return String(decoding: try JSONEncoder().encode(subject), as: UTF8.self)
        }
    }

    private struct Leave: Sendable {
        let call: PageCall.Leave
        let reading: History.Reading
        let turn: Int64

        var app: App { call.app }
        var environment: Environment { call.environment }
    }

    private var calls: PageCall { PageCall(vault: vault, tokens: tokens, clock: clock) }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await read(job)
        }
    }

    private func read(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let environment = try Environment(stored: subject.environment)
        guard let leave = try await takeLeave(job, subject, environment) else { return }
        let token = try await calls.token(leave.call)
        let reading = leave.reading
        switch await ask(leave.app, reading.request, reading.token, environment, token) {
        case .page(let page): try await take(page, leave, job)
        case .failed(let failure): try await fail(failure, leave, job)
        }
    }

    /// What is to be read, with a key and a permit; nil where the job ended or waits.
    private func takeLeave(_ job: Job, _ subject: Subject, _ environment: Environment) async throws -> Leave? {
        let tenant = TenantID(rawValue: job.tenant)
        let now = clock.now
        return try await database.transaction(tenant.scope) { tx in
            let id = AppID(rawValue: subject.app)
            guard let app = try await TenantStore.app(of: tenant, id: id, in: tx),
                app.environments.contains(AppEnvironment(environment)),
                var history = try await HistoryStore.lock(id, environment, tenant: tenant, in: tx)
            else {
                try await job.done(in: tx)
                return nil
            }
            if history.sweepTo == nil {
                guard history.dueAt <= now else {
                    try await next(job, subject, at: history.dueAt, in: tx)
                    return nil
                }
                if history.heardAt == nil {
                    history.heardAt = try await HistoryStore.firstPosted(
                        to: id, environment, after: history.failuresTo, tenant: tenant, in: tx)
                }
                history.begin(at: now)
            }
            guard let reading = history.reading else {
                try await HistoryStore.save(history, of: id, tenant: tenant, in: tx)
                try await next(job, subject, at: history.dueAt, in: tx)
                return nil
            }
            let begun = try await calls.begin(job, for: app, environment, .triesKeys, permit: subject.permit, in: tx)
            if case .noKey(let why) = begun { history.failed(why, at: now) }
            try await HistoryStore.save(history, of: id, tenant: tenant, in: tx)
            switch begun {
            case .leave(let call): return Leave(call: call, reading: reading, turn: history.turn)
            case .noKey: try await next(job, subject, at: now + .minutes(1), in: tx)
            case .later(let until, _): try await next(job, subject, at: until, in: tx)
            case .turn(let moment, let why):
                try await job.again(at: moment, error: why, subject: subject.text(permit: moment), in: tx)
            }
            return nil
        }
    }

    private func take(_ page: NotificationHistoryPage, _ leave: Leave, _ job: Job) async throws {
        let (app, environment, now) = (leave.app, leave.environment, clock.now)
        let sorted = try await intake.sort(
            page.items.prefix(limits.itemsMax), of: app, environment, refusalsMax: limits.refusalsMax, at: now)
        let turn = History.Turn(
            next: page.paginationToken, isCutOff: page.isCutOff || page.items.count > limits.itemsMax,
            digest: Marks.number(of: page.items.map(\.signedPayload)),
            tokenDigest: page.paginationToken.flatMap { Marks.number(of: ["token", $0]) })
        var kept = HistoryIntake.Kept()
        let isMine = try await settle(leave, job) { history, tx in
            try await calls.accepted(leave.call, at: now, in: tx)
            kept = try await intake.keep(sorted, of: app, environment, at: now, in: tx)
            history.fetched(kept.fetched, at: now)
            history.took(turn, pagesMax: limits.pagesMax, at: now)
            return nil
        }
        guard isMine else { return }
        // The notifications' jobs, and the next page.
        bell.ring()
        count(kept, of: app)
    }

    private func fail(_ failure: CallResult, _ leave: Leave, _ job: Job) async throws {
        let now = clock.now
        counters.count(
            "history_failures_total", ["result": failure.label], of: leave.app,
            help: "Calls of Get Notification History that brought no page, by result.")
        _ = try await settle(leave, job) { history, tx in
            let setback = try await calls.failed(failure, leave.call, job, at: now, in: tx)
            if case .refused(let answer) = setback {
                switch answer.serverAPIError {
                case .paginationTokenExpired, .invalidPaginationToken: history.tokenEnded(failure.text, at: now)
                default: history.giveUp("Apple refuses to read the notification history: \(failure.text)", at: now)
                }
                return nil
            }
            history.failed(failure.text, at: now)
            switch setback {
            case .refused: return nil
            case .key(let until), .limited(let until): return until
            case .trouble(let notBefore): return max(now + delay(history), notBefore ?? now)
            }
        }
    }

    private func delay(_ history: History) -> Duration {
        RetryPolicy.delay(attempt: history.failures, ceiling: Self.retryCeiling)
    }

    /// Keeps what came of a call, and when the next one is due, in one commit.
    ///
    /// - Parameter change: gives when this page is asked for again; nil: go on.
    /// - Returns: false where somebody else has read this page meanwhile: then nothing of it counts.
    private func settle(
        _ leave: Leave, _ job: Job, _ change: (inout History, Transaction) async throws -> Moment?
    ) async throws -> Bool {
        let (app, environment, now) = (leave.app, leave.environment, clock.now)
        let subject = Subject(app: app.id.rawValue, environment: environment.rawValue)
        return try await database.transaction(app.tenant.scope) { tx in
            guard
                var history = try await HistoryStore.lock(app.id, environment, tenant: app.tenant, in: tx),
                history.turn == leave.turn, history.reading == leave.reading
            else {
                try await next(job, subject, at: now, in: tx)
                return false
            }
            let again = try await change(&history, tx)
            history.turn += 1
            try await HistoryStore.save(history, of: app.id, tenant: app.tenant, in: tx)
            try await next(job, subject, at: again ?? (history.reading == nil ? history.dueAt : now), in: tx)
            return true
        }
    }

    /// This job's end is the next one's beginning; one that was asked for twice goes on once.
    private func next(_ job: Job, _ subject: Subject, at moment: Moment, in tx: Transaction) async throws {
        try await job.done(in: tx)
        try await Enqueue.add(
            NewJob(
                tenant: job.tenant, lane: job.lane, kind: RefundJobs.Kind.history.rawValue,
                subject: try subject.text(), runAt: moment <= clock.now ? nil : moment,
                deadline: moment + Self.readWithin,
                uniqueKey: "\(subject.app) \(subject.environment)"),
            in: tx)
    }

    private func count(_ kept: HistoryIntake.Kept, of app: App) {
        counters.count(
            "history_pages_total", [:], of: app, help: "Pages of Apple's notification history that were read.")
        for (result, n) in [("held", kept.held), ("fetched", kept.fetched), ("refused", kept.refused)] where n > 0 {
            counters.count(
                "history_notifications_total", ["result": result], by: n, of: app,
                help: "Notifications that Apple's history named for the first time: held already, fetched, refused.")
        }
        guard kept.fetched > 0 else { return }
        journal.info(
            "notifications that had not arrived were fetched from Apple's history",
            [
                "tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue),
                "count": .init(Int64(kept.fetched)),
            ])
    }
}

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
    }

    private struct Leave: Sendable {
        let app: App
        let environment: Environment
        let key: SigningKeyInfo
        let wait: Duration
        let reading: History.Reading
        let turn: Int64

        var isSandbox: Bool { environment == .sandbox }
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await read(job)
        }
    }

    private func read(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let environment = try Environment(stored: subject.environment)
        guard let leave = try await takeLeave(job, subject, environment) else { return }
        if tokens.kept(leave.key, leave.app) == nil { try await tokens.make(leave.key, leave.app) }
        guard let token = tokens.kept(leave.key, leave.app) else {
            throw VaultError.noKey(leave.app.tenant, leave.app.id)
        }
        if leave.wait > .zero { try await Task.sleep(for: leave.wait) }
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
            let isSandbox = environment == .sandbox
            guard let reading = history.reading else {
                try await HistoryStore.save(history, of: id, tenant: tenant, in: tx)
                try await next(job, subject, at: history.dueAt, in: tx)
                return nil
            }
            guard let key = try await vault.signingKey(of: tenant, for: id, isSandbox: isSandbox, in: tx) else {
                history.failed("\(VaultError.noKey(tenant, id))", at: now)
                try await HistoryStore.save(history, of: id, tenant: tenant, in: tx)
                try await next(job, subject, at: now + .minutes(1), in: tx)
                return nil
            }
            try await HistoryStore.save(history, of: id, tenant: tenant, in: tx)
            let gate = try await KeyStandings.enter(key.id, for: id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
            if case .closed(let until) = gate {
                try await next(job, subject, at: until, in: tx)
                return nil
            }
            guard let wait = try await Lane.takePermit(job.lane, in: tx) else {
                try await KeyStandings.undecided(key.id, for: id, isSandbox: isSandbox, of: tenant, in: tx)
                let wait = try await ReplyStore.laneWait(job.lane, tx: tx)
                try await next(job, subject, at: now + wait, in: tx)
                return nil
            }
            return Leave(
                app: app, environment: environment, key: key, wait: wait, reading: reading, turn: history.turn)
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
            try await KeyStandings.accepted(
                leave.key.id, for: app.id, isSandbox: leave.isSandbox, of: app.tenant, at: now, in: tx)
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
        let (tenant, app, key) = (leave.app.tenant, leave.app.id, leave.key.id)
        let (now, isSandbox) = (clock.now, leave.isSandbox)
        counters.count(
            "history_failures_total", ["result": failure.label], of: leave.app,
            help: "Calls of Get Notification History that brought no page, by result.")
        _ = try await settle(leave, job) { history, tx in
            switch failure {
            case .refused(let answer):
                try await KeyStandings.accepted(key, for: app, isSandbox: isSandbox, of: tenant, at: now, in: tx)
                switch answer.serverAPIError {
                case .paginationTokenExpired, .invalidPaginationToken: history.tokenEnded(failure.text, at: now)
                default: history.giveUp("Apple refuses to read the notification history: \(failure.text)", at: now)
                }
                return nil
            case .credentials(_, let offset):
                tokens.forget(leave.key, leave.app)
                history.failed(failure.text, at: now)
                return try await KeyStandings.refused(
                    key, for: app, isSandbox: isSandbox, of: tenant, clockOffset: offset, at: now, in: tx)
            case .rateLimited(_, let until):
                try await KeyStandings.undecided(key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
                try await ReplyStore.holdLane(
                    job.lane, for: max(.zero, until - now),
                    why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
                history.failed(failure.text, at: now)
                return until
            case .retry(_, let notBefore):
                try await KeyStandings.undecided(key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
                history.failed(failure.text, at: now)
                return max(now + delay(history), notBefore ?? now)
            case .accepted, .unknown, .notSent:
                try await KeyStandings.undecided(key, for: app, isSandbox: isSandbox, of: tenant, in: tx)
                history.failed(failure.text, at: now)
                return now + delay(history)
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
                subject: String(decoding: try JSONEncoder().encode(subject), as: UTF8.self),
                runAt: moment <= clock.now ? nil : moment, deadline: moment + Self.readWithin,
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

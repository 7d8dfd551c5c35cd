import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Reads one page of the time before an app was added. Nothing of it is answered, paged or counted in a rate.
///
/// A page, what it brought and the token of the next one are one commit, so it goes on where a process died.
struct ImportJob: Sendable {
    /// The longest wait between two tries of a page.
    private static let retryCeiling: Duration = .minutes(10)
    private static let keyLook: Duration = .minutes(1)

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let intake: HistoryIntake
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    var limits = HistoryLimits()
    let ask: HistoryJob.Ask

    private struct Leave: Sendable {
        let call: PageCall.Leave
        let past: PastImport
        let request: NotificationHistoryRequest

        var app: App { call.app }
        var environment: Environment { past.environment }
    }

    private var calls: PageCall { PageCall(vault: vault, tokens: tokens, clock: clock) }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: Self.retryCeiling) {
            try await read(job)
        }
    }

    private func read(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(HistoryJob.Subject.self, from: Data(job.subject.utf8))
        let environment = try Environment(stored: subject.environment)
        guard let leave = try await takeLeave(job, subject, environment) else { return }
        let token = try await calls.token(leave.call)
        switch await ask(leave.app, leave.request, leave.past.token, environment, token) {
        case .page(let page): try await take(page, leave, job)
        case .failed(let failure): try await fail(failure, leave, job)
        }
    }

    private func takeLeave(
        _ job: Job, _ subject: HistoryJob.Subject, _ environment: Environment
    ) async throws -> Leave? {
        let (tenant, id) = (TenantID(rawValue: job.tenant), AppID(rawValue: subject.app))
        let now = clock.now
        return try await database.transaction(tenant.scope) { tx in
            guard let app = try await TenantStore.app(of: tenant, id: id, in: tx),
                let past = try await ImportStore.lock(id, environment, tenant: tenant, in: tx),
                let request = past.request
            else {
                try await job.done(in: tx)
                return nil
            }
            switch try await calls.begin(job, for: app, environment, .provenKeys, permit: subject.permit, in: tx) {
            case .leave(let call): return Leave(call: call, past: past, request: request)
            case .noKey(let why): try await job.again(at: now + Self.keyLook, error: why, in: tx)
            case .later(let until, let why): try await job.again(at: until, error: why, in: tx)
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
        let isMine = try await settle(leave, job) { past, tx in
            try await calls.accepted(leave.call, at: now, in: tx)
            let kept = try await intake.keepPast(sorted, past, of: app, at: now, in: tx)
            past.imported += Int64(kept.fetched)
            past.held += Int64(kept.held)
            past.refused += Int64(kept.refused)
            past.took(turn, at: now)
            return nil
        }
        guard isMine else { return }
        bell.ring()
        counters.count("import_pages_total", [:], of: app, help: "Pages of an app's past that were read.")
    }

    private func fail(_ failure: CallResult, _ leave: Leave, _ job: Job) async throws {
        let now = clock.now
        _ = try await settle(leave, job) { past, tx in
            switch try await calls.failed(failure, leave.call, job, at: now, in: tx) {
            case .refused(let answer):
                switch answer.serverAPIError {
                case .paginationTokenExpired, .invalidPaginationToken: past.tokenEnded(failure.text, at: now)
                default: past.skip("Apple refuses: \(failure.text)", at: now)
                }
                return nil
            case .limited(let until): return until
            case .key(let until):
                past.failed(failure.text, at: now)
                return until
            case .trouble(let notBefore):
                past.failed(failure.text, at: now)
                return max(now + delay(past), notBefore ?? now)
            }
        }
    }

    private func delay(_ past: PastImport) -> Duration {
        RetryPolicy.delay(attempt: past.failures, ceiling: Self.retryCeiling)
    }

    /// Keeps what came of a call, and when the next one is due, in one commit.
    ///
    /// - Parameter change: gives when this page is asked for again; nil: go on.
    /// - Returns: false where somebody has stopped it, or read on, meanwhile: then nothing of it counts.
    private func settle(
        _ leave: Leave, _ job: Job, _ change: (inout PastImport, Transaction) async throws -> Moment?
    ) async throws -> Bool {
        let (app, now) = (leave.app, clock.now)
        return try await database.transaction(app.tenant.scope) { tx in
            try await job.done(in: tx)
            guard
                var past = try await ImportStore.lock(app.id, leave.environment, tenant: app.tenant, in: tx),
                past == leave.past
            else {
                try await ImportStore.enqueue(
                    app.id, leave.environment, tenant: app.tenant, at: nil, now: now, in: tx)
                return false
            }
            let again = try await change(&past, tx)
            past.turn += 1
            try await ImportStore.save(past, of: app.id, tenant: app.tenant, in: tx)
            if past.state == .running {
                try await ImportStore.enqueue(
                    app.id, leave.environment, tenant: app.tenant, at: again, now: now, in: tx)
            }
            return true
        }
    }
}

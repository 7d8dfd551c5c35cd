import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Reads one page of what Apple's own records say of a customer: everything they bought in the app, and every refund.
///
/// So earlier refunds and what was spent are known for sales from before this program, and a refund whose notification
/// never came ends its case. No reply waits for it longer than a moment, and it tries no key that Apple has not taken.
struct PastJob: Sendable {
    typealias Ask =
        @Sendable (
            _ list: Past.List, _ app: App, _ transaction: String, _ revision: String?, _ environment: Environment,
            _ token: Redacted<String>
        ) async -> TransactionsResult

    /// The longest wait between two tries of a page.
    private static let retryCeiling: Duration = .minutes(5)
    /// Between two looks at a key that no reply has proven yet.
    private static let keyLook: Duration = .minutes(1)

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let intake: PastIntake
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let ask: Ask

    /// Asks Apple.
    static func asking(_ apple: AppleSide) -> Ask {
        { list, app, transaction, revision, environment, token in
            switch list {
            case .transactions:
                await apple.api(for: app).transactionHistory(
                    of: transaction, revision: revision, environment: environment, token: token)
            case .refunds:
                await apple.api(for: app).refundHistory(
                    of: transaction, revision: revision, environment: environment, token: token)
            }
        }
    }

    struct Subject: Codable, Sendable, Hashable {
        let app: Int64
        let environment: String
        let transaction: String
        /// A reply that waits for what is found.
        var round: UUID?
        /// A case that is looked at afterwards: it may have waited long enough for Apple's decision.
        var `case`: UUID?
    }

    private struct Leave: Sendable {
        let app: App
        let environment: Environment
        let key: SigningKeyInfo
        let wait: Duration
        let subject: String
        let past: Past

        var isSandbox: Bool { environment == .sandbox }
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: Self.retryCeiling) {
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
        let past = leave.past
        switch await ask(past.list, leave.app, subject.transaction, past.revision, environment, token) {
        case .page(let page): try await take(page, leave, subject, job)
        case .failed(let failure): try await fail(failure, leave, subject, job)
        }
    }

    /// The list that is to be read, with a key and a permit; nil where the job ended or waits.
    private func takeLeave(_ job: Job, _ subject: Subject, _ environment: Environment) async throws -> Leave? {
        let tenant = TenantID(rawValue: job.tenant)
        let now = clock.now
        let found = try await database.transaction(tenant.scope) { tx -> Leave? in
            let id = AppID(rawValue: subject.app)
            guard now < job.deadline,
                let app = try await TenantStore.app(of: tenant, id: id, in: tx),
                app.environments.contains(AppEnvironment(environment)),
                let transaction = try await TransactionStore.find(
                    subject.transaction, environment: environment, app: id, tenant: tenant, in: tx)
            else {
                try await finish(job, subject, tenant, in: tx)
                return nil
            }
            let name = PastStore.subject(of: transaction)
            let pasts = try await PastStore.lock(name, environment, of: id, tenant: tenant, in: tx)
            guard let past = pasts.first(where: { $0.isDue(at: now) }) else {
                try await finish(job, subject, tenant, in: tx)
                return nil
            }
            let isSandbox = environment == .sandbox
            // A case that has waited long enough does not wait for a key.
            let waits = { (why: String) in
                if subject.case != nil {
                    try await finish(job, subject, tenant, in: tx)
                    return
                }
                // The reply is what proves the key. Once: later its own waits are its own.
                if job.attempts <= 1 { try await release(subject, tenant, in: tx) }
                try await job.again(at: now + Self.keyLook, error: why, in: tx)
            }
            guard let key = try await vault.signingKey(of: tenant, for: id, isSandbox: isSandbox, in: tx) else {
                try await waits("\(VaultError.noKey(tenant, id))")
                return nil
            }
            // Replies try a key, and they alone: what is asked here can wait until one was taken.
            let standing = try await KeyStandings.both(of: key.id, for: id, isSandbox: isSandbox, of: tenant, in: tx)
            guard standing.whole?.isAccepted == true, standing.own?.isAccepted == true else {
                try await waits("no call has proven the signing key")
                return nil
            }
            guard let wait = try await Lane.takePermit(job.lane, in: tx) else {
                try await job.again(
                    at: now + (try await ReplyStore.laneWait(job.lane, tx: tx)),
                    error: "the rate limit's next permits are taken", in: tx)
                return nil
            }
            return Leave(app: app, environment: environment, key: key, wait: wait, subject: name, past: past)
        }
        if found == nil, subject.round != nil { bell.ring() }
        return found
    }

    private func take(
        _ page: SignedTransactionsPage, _ leave: Leave, _ subject: Subject, _ job: Job
    ) async throws {
        let (app, environment, now) = (leave.app, leave.environment, clock.now)
        let sorted = try await intake.sort(page.signedTransactions, of: app, environment, at: now)
        try await intake.keep(sorted.transactions, of: leave.past.list, app, environment, at: now, on: database)
        let digest = Marks.number(of: sorted.transactions.map(\.mark))
        let place = page.revision.flatMap { Marks.number(of: ["place", $0]) }
        try await settle(leave, subject, job) { past, tx in
            try await KeyStandings.accepted(
                leave.key.id, for: app.id, isSandbox: leave.isSandbox, of: app.tenant, at: now, in: tx)
            past.took(digest: digest, next: page.revision, place: place, hasMore: page.hasMore, at: now)
            if past.trouble == nil, sorted.refused > 0 {
                past.brokenAt = now
                past.trouble = "\(sorted.refused) of Apple's records could not be verified"
            }
            return now
        }
        count("read", leave)
        counters.count(
            "past_transactions_total", ["list": leave.past.list.rawValue], by: sorted.transactions.count, of: app,
            help: "Transactions that Apple's own records of a customer named.")
    }

    private func fail(_ failure: CallResult, _ leave: Leave, _ subject: Subject, _ job: Job) async throws {
        let (tenant, app, key) = (leave.app.tenant, leave.app.id, leave.key.id)
        let (now, isSandbox) = (clock.now, leave.isSandbox)
        count(failure.label, leave)
        try await settle(leave, subject, job) { past, tx in
            switch failure {
            case .refused(let answer):
                switch answer.serverAPIError {
                case .invalidRequestRevision: past.placeEnded(failure.text, at: now)
                default: past.breakOff("Apple refuses: \(failure.text)", at: now)
                }
                return now
            case .credentials(_, let offset):
                tokens.forget(leave.key, leave.app)
                return try await KeyStandings.refused(
                    key, for: app, isSandbox: isSandbox, of: tenant, clockOffset: offset, at: now, in: tx)
            case .rateLimited(_, let until):
                // This lane alone: Apple counts each endpoint by itself.
                try await ReplyStore.holdLane(
                    job.lane, for: max(.zero, until - now),
                    why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
                return until
            case .retry(_, let notBefore):
                return max(now + RetryPolicy.delay(attempt: job.attempts, ceiling: Self.retryCeiling), notBefore ?? now)
            case .accepted, .unknown, .notSent:
                return now + RetryPolicy.delay(attempt: job.attempts, ceiling: Self.retryCeiling)
            }
        }
    }

    /// Keeps what came of a call, and when the next one is due, in one commit. Where somebody else has read on
    /// meanwhile, nothing of it counts: what the page brought is the same for both.
    ///
    /// - Parameter change: gives when the next call is due.
    private func settle(
        _ leave: Leave, _ subject: Subject, _ job: Job, _ change: (inout Past, Transaction) async throws -> Moment
    ) async throws {
        let (app, environment, now) = (leave.app, leave.environment, clock.now)
        try await database.transaction(app.tenant.scope) { tx in
            let pasts = try await PastStore.lock(leave.subject, environment, of: app.id, tenant: app.tenant, in: tx)
            guard var past = pasts.first(where: { $0.list == leave.past.list }), past == leave.past else {
                return try await next(job, in: tx)
            }
            let again = try await change(&past, tx)
            try await PastStore.save(past, of: leave.subject, environment, app: app.id, tenant: app.tenant, in: tx)
            if again > now {
                try await job.again(at: again, error: "Apple did not give the page", in: tx)
            } else {
                try await next(job, in: tx)
            }
        }
        bell.ring()
    }

    /// One page is one turn, so that other work comes in between.
    private func next(_ job: Job, in tx: Transaction) async throws {
        try await job.done(in: tx)
        try await Enqueue.add(
            NewJob(
                tenant: job.tenant, lane: job.lane, kind: RefundJobs.Kind.past.rawValue, subject: job.subject,
                deadline: job.deadline, uniqueKey: PastJob.key(of: job.subject)), in: tx)
    }

    /// Nothing more is to be read: who waits for it goes on, and the case is looked at.
    private func finish(_ job: Job, _ subject: Subject, _ tenant: TenantID, in tx: Transaction) async throws {
        let now = clock.now
        if let id = subject.case, var locked = try await CaseStore.lock(id, tenant: tenant, in: tx) {
            try await CaseStore.save(&locked, at: now, in: tx)
        }
        try await release(subject, tenant, in: tx)
        try await job.done(in: tx)
    }

    /// The reply that waits for what is found goes on.
    private func release(_ subject: Subject, _ tenant: TenantID, in tx: Transaction) async throws {
        guard let round = subject.round else { return }
        try await Enqueue.hurry(
            tenant: tenant.rawValue, kind: RefundJobs.Kind.reply.rawValue, uniqueKey: round.uuidString, in: tx)
    }

    private func count(_ result: String, _ leave: Leave) {
        counters.count(
            "past_pages_total", ["list": leave.past.list.rawValue, "result": result], of: leave.app,
            help: "Calls for Apple's own records of a customer, by list and result.")
    }

    /// One job for each thing that is asked: a subject's text is the same each time.
    static func key(of subject: String) -> String { subject }
}

extension RefundJobs {
    /// Has Apple's own records of a customer read; ring the bell after the commit.
    ///
    /// - Parameter deadline: until when it is tried.
    /// - Returns: false where just this is being done already.
    @discardableResult
    static func addPast(
        _ subject: PastJob.Subject, tenant: TenantID, deadline: Moment, in tx: Transaction
    ) async throws -> Bool {
        let lane = Lane.records(app: subject.app, isSandbox: subject.environment == Environment.sandbox.rawValue)
        try await Lane.ensure(lane, in: tx)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = String(decoding: try encoder.encode(subject), as: UTF8.self)
        return try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: lane, kind: Kind.past.rawValue, subject: text, deadline: deadline,
                uniqueKey: PastJob.key(of: text)), in: tx)
    }
}

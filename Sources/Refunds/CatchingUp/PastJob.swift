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
        /// The moment of the permit with which it comes back, in milliseconds: for one call.
        var permit: Int64?

        /// Without a permit: the same each time that the same is asked.
        func text(permit: Moment? = nil) throws -> String {
            var subject = self
            subject.permit = permit?.milliseconds
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(subject), as: UTF8.self)
        }
    }

    private struct Leave: Sendable {
        let call: PageCall.Leave
        let subject: String
        let past: Past

        var app: App { call.app }
        var environment: Environment { call.environment }
    }

    private enum Begun: Sendable {
        case leave(Leave)
        case waits
        /// Nothing more is to be read; set: no decision was heard about its case.
        case over(unheard: App?)
    }

    private var calls: PageCall { PageCall(vault: vault, tokens: tokens, clock: clock) }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: Self.retryCeiling) {
            try await read(job)
        }
    }

    private func read(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let environment = try Environment(stored: subject.environment)
        guard let leave = try await takeLeave(job, subject, environment) else { return }
        let token = try await calls.token(leave.call)
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
        let begun = try await database.transaction(tenant.scope) { tx -> Begun in
            let id = AppID(rawValue: subject.app)
            let app = try await TenantStore.app(of: tenant, id: id, in: tx)
            func over() async throws -> Begun {
                .over(unheard: try await finish(job, subject, tenant, in: tx) ? app : nil)
            }
            guard now < job.deadline, let app, app.environments.contains(AppEnvironment(environment)),
                let transaction = try await TransactionStore.find(
                    subject.transaction, environment: environment, app: id, tenant: tenant, in: tx)
            else { return try await over() }
            let name = PastStore.subject(of: transaction)
            let pasts = try await PastStore.lock(name, environment, of: id, tenant: tenant, in: tx)
            guard let past = pasts.first(where: { $0.isDue(at: now) }) else { return try await over() }
            switch try await calls.begin(job, for: app, environment, .provenKeys, permit: subject.permit, in: tx) {
            case .leave(let call): return .leave(Leave(call: call, subject: name, past: past))
            case .noKey(let why):
                // A case that has waited long enough does not wait for a key.
                if subject.case != nil { return try await over() }
                // The reply is what proves the key. Once: later its own waits are its own.
                if job.attempts <= 1 { try await release(subject, tenant, in: tx) }
                try await job.again(at: now + Self.keyLook, error: why, in: tx)
            case .later(let until, let why): try await job.again(at: until, error: why, in: tx)
            case .turn(let moment, let why):
                try await job.again(at: moment, error: why, subject: subject.text(permit: moment), in: tx)
            }
            return .waits
        }
        if case .leave(let leave) = begun { return leave }
        if case .over(let app?) = begun {
            counters.count(
                "cases_unheard_total", [:], of: app,
                help: "Cases about which no decision of Apple's was heard in fourteen days.")
        }
        if subject.round != nil { bell.ring() }
        return nil
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
            try await calls.accepted(leave.call, at: now, in: tx)
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
        let now = clock.now
        count(failure.label, leave)
        try await settle(leave, subject, job) { past, tx in
            switch try await calls.failed(failure, leave.call, job, at: now, in: tx) {
            case .refused(let answer):
                switch answer.serverAPIError {
                case .invalidRequestRevision: past.placeEnded(failure.text, at: now)
                default: past.breakOff("Apple refuses: \(failure.text)", at: now)
                }
                return now
            case .key(let until), .limited(let until): return until
            case .trouble(let notBefore):
                return max(now + RetryPolicy.delay(attempt: job.attempts, ceiling: Self.retryCeiling), notBefore ?? now)
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
                return try await next(job, subject, in: tx)
            }
            let again = try await change(&past, tx)
            try await PastStore.save(past, of: leave.subject, environment, app: app.id, tenant: app.tenant, in: tx)
            if again > now {
                try await job.again(at: again, error: "Apple did not give the page", subject: subject.text(), in: tx)
            } else {
                try await next(job, subject, in: tx)
            }
        }
        bell.ring()
    }

    /// One page is one turn, so that other work comes in between.
    private func next(_ job: Job, _ subject: Subject, in tx: Transaction) async throws {
        let text = try subject.text()
        try await job.done(in: tx)
        try await Enqueue.add(
            NewJob(
                tenant: job.tenant, lane: job.lane, kind: RefundJobs.Kind.past.rawValue, subject: text,
                deadline: job.deadline, uniqueKey: PastJob.key(of: text)), in: tx)
    }

    /// Nothing more is to be read: who waits for it goes on, and the case is looked at.
    ///
    /// - Returns: whether that case became one about which no decision was heard.
    private func finish(_ job: Job, _ subject: Subject, _ tenant: TenantID, in tx: Transaction) async throws -> Bool {
        let now = clock.now
        var isUnheard = false
        if let id = subject.case, var locked = try await CaseStore.lock(id, tenant: tenant, in: tx) {
            let isChanged = try await CaseStore.save(&locked, at: now, in: tx)
            isUnheard = isChanged && locked.value.outcome(at: now) == .unheard
        }
        try await release(subject, tenant, in: tx)
        try await job.done(in: tx)
        return isUnheard
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
        let text = try subject.text()
        return try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: lane, kind: Kind.past.rawValue, subject: text, deadline: deadline,
                uniqueKey: PastJob.key(of: text)), in: tx)
    }
}

import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Lays a text of rules over every case that rules decided, some pages in a turn.
///
/// Each page is a short reading of its own, and is worked through on a thread of its own, which may be held: rules are
/// pure, and a page takes milliseconds. The next page is read meanwhile. What came of a turn, and where the next one
/// begins, are one commit; whoever dies loses a turn. Memory holds two pages.
struct ReplayJob: Sendable {
    /// Runs what takes long on a thread that may be held.
    typealias Aside = @Sendable (@escaping @Sendable () throws -> PolicyTrial) async throws -> PolicyTrial

    struct Subject: Codable, Sendable, Hashable {
        let replay: UUID
    }

    let database: Database
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    var limits = Limits()
    let aside: Aside

    struct Limits: Sendable {
        /// Cases of a page.
        var page = 5000
        /// Pages of a turn: a few seconds, so that a stop of the process or of the replay waits for little.
        var pages = 10
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .seconds(20)) {
            try await turn(job)
        }
    }

    /// Adds the job of a replay, in the transaction that makes the replay.
    static func add(_ replay: UUID, of app: App, at now: Moment, in tx: Transaction) async throws {
        let subject = String(decoding: try JSONEncoder().encode(Subject(replay: replay)), as: UTF8.self)
        try await Enqueue.add(
            NewJob(
                tenant: app.tenant.rawValue, lane: Lane.desk(tenant: app.tenant.rawValue),
                kind: RefundJobs.Kind.replay.rawValue, subject: subject, deadline: now + .hours(24),
                uniqueKey: replay.text), in: tx)
    }

    private func turn(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let tenant = TenantID(rawValue: job.tenant)
        let begun = try await database.transaction(tenant.scope, within: .seconds(60)) {
            tx -> (PolicyReplay, App, Int)? in
            guard
                let replay = try await tx.row(ReplayStore.find(subject.replay, of: tenant)).map({ try PolicyReplay($0) }
                ),
                replay.state == .running, let app = try await TenantStore.app(of: tenant, id: replay.app, in: tx)
            else {
                // Cancelled meanwhile, or an app that is gone.
                try await tx.execute(
                    ReplayStore.end(subject.replay, of: tenant, as: .failed, trouble: "the app is gone", at: clock.now))
                try await job.done(in: tx)
                return nil
            }
            guard try await job.isStillMine(in: tx) else { throw ClaimLost(job: job.id) }
            var total = replay.total
            if total == nil {
                total = try await tx.row(DecisionStore.count(of: app, until: replay.begunAt))?("cases")
            }
            return (replay, app, total ?? 0)
        }
        guard let (replay, app, total) = begun else { return }
        guard case .success(let policy) = PolicyText.read(replay.text) else {
            return try await end(replay, of: tenant, job, as: .failed, trouble: "this release cannot read the rules")
        }
        var trial = replay.trial ?? PolicyTrial()
        var place = replay.after
        var isOver = false
        var page = try await read(of: app, until: replay.begunAt, after: place)
        for number in 1...limits.pages {
            let rows = page
            isOver = rows.count < limits.page
            if let last = rows.last { place = try PastDecision.place(of: last) }
            let (next, so) = (place, trial)
            let hasMore = !isOver && number < limits.pages
            async let following = hasMore ? read(of: app, until: replay.begunAt, after: next) : []
            trial = try await aside {
                var trial = so
                for row in rows { trial.add(try PastDecision(row), by: policy) }
                return trial
            }
            page = try await following
            if !hasMore { break }
        }
        if isOver { trial.conclude(policy) }
        let (result, after, ended) = (trial, place, isOver)
        try await database.transaction(tenant.scope) { tx in
            let now = clock.now
            let went = try await tx.execute(
                try ReplayStore.goOn(
                    replay, of: tenant, total: max(total, result.looked), looked: result.looked, after: after,
                    trial: result, isOver: ended, at: now))
            if ended || went == 0 { try await job.done(in: tx) } else { try await job.again(at: now, in: tx) }
        }
        bell.ring()
    }

    private func read(of app: App, until: Moment, after: ListCursor?) async throws -> [Row] {
        try await database.rows(
            app.tenant.scope, DecisionStore.page(of: app, until: until, after: after, limit: limits.page),
            within: .seconds(30))
    }

    private func end(
        _ replay: PolicyReplay, of tenant: TenantID, _ job: Job, as state: PolicyReplay.State, trouble: String
    ) async throws {
        try await database.transaction(tenant.scope) { tx in
            try await tx.execute(ReplayStore.end(replay.id, of: tenant, as: state, trouble: trouble, at: clock.now))
            try await job.done(in: tx)
        }
    }
}

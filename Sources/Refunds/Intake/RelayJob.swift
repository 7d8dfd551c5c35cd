import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Synchronization
import Tenants
import Time

/// The courier of one app: passes original notifications on to the app's other receiver.
///
/// One job for each app and never more, so that a receiver that hangs holds one hand of the workers; and only a few
/// couriers at a time in a process, so that many such receivers leave the other hands to replies. A receiver that is
/// away is left alone for a growing while; one notification that it refuses holds up no other. At least once:
/// between the receiver's answer and our own note of it a process may die.
struct RelayJob: Sendable {
    /// Calls of one courier at a time.
    static let atOnce = 4
    /// How long one courier goes on before others get its place.
    static let turn: Duration = .seconds(15)
    /// The longest time for which a receiver that is away is left alone.
    static let pauseMax: Duration = .minutes(5)
    static let callTotal: Duration = .seconds(10)
    private static let answerBytesMax = 64 * 1024

    let database: Database
    let vault: Vault
    let headers: SignatureHeaders
    let http: HTTPClient
    let seats: RelaySeats
    let clock: WallClock
    let journal: Journal
    let counters: Counters

    struct Subject: Codable, Sendable { let app: Int64 }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(5)) {
            try await deliver(job)
        }
    }

    private func deliver(_ job: Job) async throws {
        let id = AppID(rawValue: try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8)).app)
        let tenant = TenantID(rawValue: job.tenant)
        let found = try await database.transaction(tenant.scope) { tx in
            try await TenantStore.app(of: tenant, id: id, in: tx)
        }
        guard let app = found, app.isRelayed else { return try await stop(job, tenant, id) }
        let url: Redacted<String>
        do {
            guard let opened = try await vault.relayURL(of: app) else { return try await stop(job, tenant, id) }
            url = opened
        } catch let error as VaultError {
            return try await pause(job, app, for: .minutes(1), because: "\(error)")
        }
        guard seats.take() else {
            return try await postpone(job, for: .seconds(2), because: "other couriers are under way")
        }
        defer { seats.give() }
        let end = ContinuousClock.now + Self.turn
        while ContinuousClock.now < end {
            let now = clock.now
            let due = try await database.transaction(app.tenant.scope) { tx in
                try await RelayStore.due(of: app, at: now, limit: Self.atOnce, in: tx)
            }
            if due.isEmpty { break }
            let answers = await send(due, of: app, to: url)
            if try await settle(answers, of: app, job) { return }
        }
        try await finish(job, app)
    }

    /// Each batch at once: the slowest of it has ten seconds.
    private func send(
        _ due: [RelayStore.Due], of app: App, to url: Redacted<String>
    ) async -> [(due: RelayStore.Due, answer: RelayAnswer)] {
        await withTaskGroup(of: (Int, RelayAnswer).self) { group in
            for (index, one) in due.enumerated() {
                group.addTask { (index, await send(one, to: url)) }
            }
            var answers: [(Int, RelayAnswer)] = []
            for await answer in group { answers.append(answer) }
            return answers.map { (due[$0.0], $0.1) }
        }
    }

    private func send(_ one: RelayStore.Due, to url: Redacted<String>) async -> RelayAnswer {
        guard let form = one.form, let text = try? await headers.text(of: form),
            let body = BodyWrapping.body(around: text, wrapping: one.wrapping)
        else { return .forgotten }
        do {
            return RelayAnswer(
                try await http.send(
                    ClientRequest(
                        method: .post, url: url.reveal(), headers: ["Content-Type": "application/json"], body: body,
                        responseBytesMax: Self.answerBytesMax, totalTimeout: Self.callTotal)))
        } catch {
            return RelayAnswer(error)
        }
    }

    /// - Returns: whether the job ended with it, because the receiver is away.
    private func settle(
        _ answers: [(due: RelayStore.Due, answer: RelayAnswer)], of app: App, _ job: Job
    ) async throws -> Bool {
        let now = clock.now
        for (_, answer) in answers {
            counters.count(
                "relay_deliveries_total", ["result": answer.isDelivered ? "delivered" : "failed"], of: app,
                help: "Tries to pass a notification on to an app's other receiver, by result.")
        }
        let isAway = answers.allSatisfy(\.answer.isAway)
        let delivered = answers.contains { $0.answer.isDelivered }
        let error = answers.compactMap(\.answer.error).first
        return try await database.transaction(app.tenant.scope) { tx in
            guard try await job.isStillMine(in: tx) else { throw ClaimLost(job: job.id) }
            try await RelayStore.record(answers, of: app, at: now, in: tx)
            guard isAway else {
                try await RelayStore.note(
                    successAt: delivered ? now : nil, error: error, pausedUntil: nil, of: app, at: now, in: tx)
                return false
            }
            let failures = try await RelayStore.failures(of: app, in: tx) + 1
            let asked = answers.compactMap(\.answer.retryAfter).max() ?? .zero
            let pause = max(asked, RetryPolicy.delay(attempt: failures, ceiling: Self.pauseMax))
            try await RelayStore.note(
                successAt: nil, error: error, pausedUntil: now + pause, of: app, at: now, in: tx)
            try await job.again(at: now + pause, error: error, in: tx)
            if failures == 3 {
                journal.warning(
                    "an app's other receiver does not take notifications",
                    [
                        "tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue),
                        "why": .init(error ?? ""),
                    ])
            }
            return true
        }
    }

    /// Ends the job where nothing waits, under the lock that whoever adds a delivery holds too.
    private func finish(_ job: Job, _ app: App) async throws {
        let now = clock.now
        try await database.transaction(app.tenant.scope) { tx in
            try await tx.execute(RelayStore.lock(app, exclusively: true))
            guard let next = try await RelayStore.next(of: app, in: tx) else { return try await job.done(in: tx) }
            try await job.again(at: max(now, next), in: tx)
        }
    }

    private func stop(_ job: Job, _ tenant: TenantID, _ app: AppID) async throws {
        try await database.transaction(tenant.scope) { tx in
            try await RelayStore.giveUp(tenant, app, because: "there is no other receiver any more", in: tx)
            try await job.done(in: tx)
        }
    }

    private func pause(_ job: Job, _ app: App, for wait: Duration, because why: String) async throws {
        let now = clock.now
        try await database.transaction(app.tenant.scope) { tx in
            try await RelayStore.note(successAt: nil, error: why, pausedUntil: now + wait, of: app, at: now, in: tx)
            try await job.again(at: now + wait, error: why, in: tx)
        }
    }

    private func postpone(_ job: Job, for wait: Duration, because why: String) async throws {
        let now = clock.now
        try await database.transaction(.tenant(job.tenant)) { tx in
            try await job.again(at: now + wait, error: why, in: tx)
        }
    }
}

/// How many couriers may be under way in a process.
final class RelaySeats: Sendable {
    private let free: Atomic<Int>

    init(count: Int = 4) { free = Atomic(count) }

    func take() -> Bool {
        if free.subtract(1, ordering: .acquiringAndReleasing).newValue >= 0 { return true }
        free.add(1, ordering: .acquiringAndReleasing)
        return false
    }

    func give() { free.add(1, ordering: .acquiringAndReleasing) }
}

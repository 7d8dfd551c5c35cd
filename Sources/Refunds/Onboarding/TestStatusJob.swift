import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Asks Apple how it fared with a TEST notification that has not arrived.
struct TestStatusJob: Sendable {
    typealias Ask =
        @Sendable (
            _ app: App, _ testToken: String, _ environment: Environment, _ token: Redacted<String>
        ) async -> TestStatusResult

    /// When Apple is asked, counted from the request.
    static let looks: [Duration] = [.seconds(3), .seconds(10), .seconds(30), .seconds(90)]
    /// A process that ended between asking Apple and writing down its answer leaves a test without a token.
    static let answerWithin: Duration = .seconds(60)

    let database: Database
    let question: AppleQuestion
    let journal: Journal
    let ask: Ask

    private var clock: WallClock { question.clock }

    struct Subject: Codable, Sendable {
        let app: Int64
        let test: UUID
    }

    static func add(_ id: UUID, of app: App, isSandbox: Bool, at now: Moment, in tx: Transaction) async throws {
        let subject = Subject(app: app.id.rawValue, test: id)
        try await Enqueue.add(
            NewJob(
                tenant: app.tenant.rawValue, lane: App.lane(app.id, isSandbox: isSandbox),
                kind: RefundJobs.Kind.testStatus.rawValue,
                subject: String(decoding: try JSONEncoder().encode(subject), as: UTF8.self), runAt: now + looks[0],
                deadline: now + .minutes(10), uniqueKey: id.uuidString),
            in: tx)
    }

    /// The next look after so much time; nil after the last one.
    static func next(after elapsed: Duration) -> Duration? { looks.first { $0 > elapsed } }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .seconds(30)) {
            try await look(job)
        }
    }

    private struct Leave: Sendable {
        let app: App
        let test: TestNotification
        let token: String
        let key: SigningKeyInfo
        let wait: Duration
    }

    private func look(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        guard let leave = try await takeLeave(job, subject) else { return }
        let (app, isSandbox) = (leave.app, leave.test.isSandbox)
        let token = try await question.token(of: leave.key, for: app, isNew: false)
        if leave.wait > .zero { try await Task.sleep(for: leave.wait) }
        let result = await ask(app, leave.token, isSandbox ? .sandbox : .production, token)
        try await database.transaction(app.tenant.scope) { tx in
            try await settle(result, leave, job, in: tx)
        }
    }

    /// What is needed for a look; nil where the job ended or waits.
    private func takeLeave(_ job: Job, _ subject: Subject) async throws -> Leave? {
        let tenant = TenantID(rawValue: job.tenant)
        let now = clock.now
        return try await database.transaction(tenant.scope) { tx in
            guard let app = try await TenantStore.app(of: tenant, id: AppID(rawValue: subject.app), in: tx),
                let test = try await TestNotificationStore.find(
                    subject.test, of: app.id, tenant: tenant, forUpdate: true, in: tx),
                test.state == .asked
            else {
                try await job.done(in: tx)
                return nil
            }
            let elapsed = now - test.askedAt
            guard let token = test.token else {
                guard elapsed >= Self.answerWithin else {
                    try await job.again(
                        at: now + (Self.next(after: elapsed).map { $0 - elapsed } ?? .seconds(1)),
                        error: "Apple has not answered the request yet", in: tx)
                    return nil
                }
                try await TestNotificationStore.looked(
                    test, of: app.id, tenant: tenant, attempt: nil, notification: nil,
                    detail: "Apple's answer to the request was lost.", isFinal: true, at: now, in: tx)
                try await job.done(in: tx)
                return nil
            }
            guard
                let key = try await question.vault.signingKey(
                    of: tenant, for: app.id, isSandbox: test.isSandbox, in: tx)
            else {
                try await TestNotificationStore.looked(
                    test, of: app.id, tenant: tenant, attempt: nil, notification: nil,
                    detail: OnboardingError.noKey.description, isFinal: true, at: now, in: tx)
                try await job.done(in: tx)
                return nil
            }
            guard let wait = try await Lane.takePermit(job.lane, in: tx) else {
                try await job.again(at: now + .seconds(2), error: OnboardingError.busy.description, in: tx)
                return nil
            }
            return Leave(app: app, test: test, token: token, key: key, wait: wait)
        }
    }

    private func settle(_ result: TestStatusResult, _ leave: Leave, _ job: Job, in tx: Transaction) async throws {
        let (app, now) = (leave.app, clock.now)
        let elapsed = now - leave.test.askedAt
        let next = Self.next(after: elapsed)
        var attempt: SendAttempt?
        var notification: UUID?
        var detail = ""
        var isFinal = next == nil
        switch result {
        case .status(let record, _):
            attempt = record.newestAttempt
            notification = Self.uuid(of: record.signedPayload)
            // A success that is not here may be on its way through this desk: it gets one more look.
            if let attempt {
                let isSuccess = attempt.result == .success
                isFinal = isFinal || !isSuccess || leave.test.sendAttemptResult == attempt.result.raw
            }
            _ = try await question.learn(from: nil, leave.key, app, isSandbox: leave.test.isSandbox, in: tx)
        case .failed(let failure):
            _ = try await question.learn(from: failure, leave.key, app, isSandbox: leave.test.isSandbox, in: tx)
            switch failure {
            // 4040008: Apple knows nothing yet.
            case .refused(let answer) where answer.serverAPIError == .testNotificationNotFound:
                detail = isFinal ? "Apple had no result within \(ProbeVerdict.span(elapsed))." : ""
            case .refused, .credentials:
                detail = failure.text
                isFinal = true
            default: detail = failure.text
            }
        }
        try await TestNotificationStore.looked(
            leave.test, of: app.id, tenant: app.tenant, attempt: attempt, notification: notification, detail: detail,
            isFinal: isFinal, at: now, in: tx)
        if isFinal {
            try await job.done(in: tx)
        } else {
            try await job.again(
                at: leave.test.askedAt + (next ?? elapsed), error: detail.isEmpty ? nil : detail, in: tx)
        }
    }

    /// The notification's number, unverified: good for finding the row, and for nothing else.
    private static func uuid(of signedPayload: String) -> UUID? {
        guard let jws = try? JWS(Array(signedPayload.utf8)),
            let payload = try? NotificationPayload(json: jws.payload)
        else { return nil }
        return payload.notificationUUID.flatMap { UUID(uuidString: $0) }
    }
}

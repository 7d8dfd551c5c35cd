import AppStore
import Crypto
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Asks Apple for the newest signed form of one transaction, and fills its case with it.
///
/// The answer to an authenticated call may lack the bundle ID, as very old records do: it is used, with a remark.
struct LookUpJob: Sendable {
    typealias Ask =
        @Sendable (
            _ app: App, _ transactionID: String, _ environment: Environment, _ token: Redacted<String>
        ) async -> LookUpResult

    let database: Database
    let vault: Vault
    let tokens: AppTokens
    let apple: AppleSide
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let ask: Ask

    struct Subject: Codable, Sendable, Hashable {
        let app: Int64
        let environment: String
        let transaction: String
    }

    private struct Leave: Sendable {
        let app: App
        let key: SigningKeyInfo
        let wait: Duration
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(5)) {
            try await lookUp(job)
        }
    }

    private func lookUp(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let environment = try Environment(stored: subject.environment)
        guard let leave = try await takeLeave(job, subject, environment) else { return }
        if tokens.kept(leave.key, leave.app) == nil { try await tokens.make(leave.key, leave.app) }
        guard let token = tokens.kept(leave.key, leave.app) else {
            throw VaultError.noKey(leave.app.tenant, leave.app.id)
        }
        if leave.wait > .zero { try await Task.sleep(for: leave.wait) }
        switch await ask(leave.app, subject.transaction, environment, token) {
        case .found(let text): try await take(text, leave, environment, subject, job)
        case .failed(let result): try await fail(result, leave, environment, job)
        }
    }

    /// The app, its key and a permit; nil where the job ended or waits.
    private func takeLeave(_ job: Job, _ subject: Subject, _ environment: Environment) async throws -> Leave? {
        let tenant = TenantID(rawValue: job.tenant)
        let now = clock.now
        return try await database.transaction(tenant.scope) { tx in
            guard let app = try await TenantStore.app(of: tenant, id: AppID(rawValue: subject.app), in: tx) else {
                try await job.done(in: tx)
                return nil
            }
            let isSandbox = environment == .sandbox
            guard let key = try await vault.signingKey(of: tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
                try await job.again(at: now + .minutes(1), error: "\(VaultError.noKey(tenant, app.id))", in: tx)
                return nil
            }
            let gate = try await KeyStandings.enter(
                key.id, for: app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
            if case .closed(let until) = gate {
                try await job.again(at: until, error: "Apple refused the signing key, or it is being tried", in: tx)
                return nil
            }
            guard let wait = try await Lane.takePermit(job.lane, in: tx) else {
                try await KeyStandings.undecided(key.id, for: app.id, isSandbox: isSandbox, of: tenant, in: tx)
                try await job.again(
                    at: now + (try await ReplyStore.laneWait(job.lane, tx: tx)),
                    error: "the rate limit's next permits are taken", in: tx)
                return nil
            }
            return Leave(app: app, key: key, wait: wait)
        }
    }

    private func take(
        _ text: String, _ leave: Leave, _ environment: Environment, _ subject: Subject, _ job: Job
    ) async throws {
        let (app, now) = (leave.app, clock.now)
        let payload: TransactionPayload
        do throws(JWSError) {
            payload = try await apple.verifier(for: app).transaction(
                text, bundleID: app.bundleID, environment: environment, from: .lookup, signedAt: now)
            guard payload.transactionId == subject.transaction else {
                throw JWSError(.transactionMismatch, "Apple answered with another transaction than was asked for")
            }
        } catch {
            if error.isOurTrouble { throw error }
            return try await database.transaction(app.tenant.scope) { tx in
                try await KeyStandings.accepted(
                    leave.key.id, for: app.id, isSandbox: environment == .sandbox, of: app.tenant, at: now, in: tx)
                try await job.dead(error: "\(error)", in: tx)
            }
        }
        let signedAt = payload.signedDate ?? now
        try await database.transaction(app.tenant.scope) { tx in
            try await KeyStandings.accepted(
                leave.key.id, for: app.id, isSandbox: environment == .sandbox, of: app.tenant, at: now, in: tx)
            let newest = try await TransactionStore.take(
                payload, id: subject.transaction, environment: environment, app: app.id, tenant: app.tenant,
                signedAt: signedAt, in: tx)
            if var locked = try await CaseStore.lock(
                transaction: subject.transaction, app: app.id, environment: environment, tenant: app.tenant, in: tx)
            {
                let fact = CaseFact(id: Self.id(of: text), kind: .seen, signedAt: signedAt, source: .transaction)
                try await CaseStore.add(fact, revocation: Revocation(payload), to: &locked, at: now, in: tx)
                try await CaseStore.save(&locked, transaction: newest, at: now, in: tx)
            }
            try await job.done(in: tx)
        }
        count("found", of: app)
    }

    private func count(_ result: String, of app: App) {
        counters.count(
            "look_ups_total", ["result": result], of: app, help: "Transactions looked up at Apple, by result.")
    }

    private func fail(_ result: CallResult, _ leave: Leave, _ environment: Environment, _ job: Job) async throws {
        let (tenant, now, isSandbox) = (leave.app.tenant, clock.now, environment == .sandbox)
        count(result.label, of: leave.app)
        try await database.transaction(tenant.scope) { tx in
            let next = now + RetryPolicy.delay(attempt: job.attempts, ceiling: .minutes(5))
            switch result {
            case .refused:
                try await KeyStandings.accepted(
                    leave.key.id, for: leave.app.id, isSandbox: isSandbox, of: tenant, at: now, in: tx)
                try await job.dead(error: result.text, in: tx)
            case .credentials(_, let offset):
                tokens.forget(leave.key, leave.app)
                let until = try await KeyStandings.refused(
                    leave.key.id, for: leave.app.id, isSandbox: isSandbox, of: tenant, clockOffset: offset, at: now,
                    in: tx)
                try await job.again(at: until, error: result.text, in: tx)
            case .rateLimited(_, let until):
                try await KeyStandings.undecided(
                    leave.key.id, for: leave.app.id, isSandbox: isSandbox, of: tenant, in: tx)
                try await ReplyStore.holdLane(
                    job.lane, for: max(.zero, until - now),
                    why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
                try await job.again(at: until, error: result.text, in: tx)
            case .accepted, .retry, .unknown, .notSent:
                try await KeyStandings.undecided(
                    leave.key.id, for: leave.app.id, isSandbox: isSandbox, of: tenant, in: tx)
                try await job.again(at: next, error: result.text, in: tx)
            }
        }
    }

    /// The same signed text is the same fact, however often it is fetched.
    static func id(of text: String) -> UUID {
        let b = Digest.sha256(Array(text.utf8))
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0F | 0x80, b[7],
                b[8] & 0x3F | 0x80, b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}

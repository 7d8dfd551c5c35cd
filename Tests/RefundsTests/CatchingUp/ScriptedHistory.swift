import FoundationEssentials
import Journal
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

/// Apple's notification history, page by page; answers that were written down go before.
final class ScriptedHistory: Sendable {
    struct Call: Sendable, Hashable {
        let body: String
        let page: String?
        let environment: Environment

        var isFailures: Bool { body.contains("onlyFailures") }
    }

    private struct Kept: Sendable {
        let record: NotificationRecord
        let signedAt: Moment
        let isDelivered: Bool
    }

    private struct State {
        var kept: [Kept] = []
        var script: [HistoryResult] = []
        var always: HistoryResult?
        var calls: [Call] = []
        var pageSize = 20
        var limits = HistoryLimits()
        var interruption: (@Sendable () async throws -> Void)?
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }
    var limits: HistoryLimits {
        get { state.withLock { $0.limits } }
        set { state.withLock { $0.limits = newValue } }
    }
    func pages(of size: Int) { state.withLock { $0.pageSize = size } }
    func script(_ results: HistoryResult...) { state.withLock { $0.script += results } }
    func always(_ result: HistoryResult?) { state.withLock { $0.always = result } }
    /// Done once, while Apple's next answer is on its way.
    func interrupt(_ body: @escaping @Sendable () async throws -> Void) { state.withLock { $0.interruption = body } }

    func list(_ signed: String, signedAt: Moment, isDelivered: Bool) {
        let attempt = SendAttempt(
            at: signedAt, result: Known(isDelivered ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"))
        state.withLock {
            $0.kept.append(
                Kept(
                    record: NotificationRecord(signedPayload: signed, attempts: [attempt]), signedAt: signedAt,
                    isDelivered: isDelivered))
        }
    }

    func answer(_ request: NotificationHistoryRequest, _ page: String?, _ environment: Environment) async
        -> HistoryResult
    {
        let interruption = state.withLock { state in
            defer { state.interruption = nil }
            return state.interruption
        }
        do { try await interruption?() } catch { Issue.record(error) }
        return state.withLock { state in
            state.calls.append(
                Call(body: String(decoding: request.bytes, as: UTF8.self), page: page, environment: environment))
            if !state.script.isEmpty { return state.script.removeFirst() }
            if let always = state.always { return always }
            let found = state.kept.filter {
                $0.signedAt >= request.start && $0.signedAt < request.end && !(request.onlyFailures && $0.isDelivered)
            }
            let skip = page.flatMap { Int($0) } ?? 0
            let items = found.dropFirst(skip).prefix(state.pageSize)
            let isMore = found.count > skip + items.count
            return Self.page(items.map(\.record), next: isMore ? "\(skip + items.count)" : nil)
        }
    }

    static func page(_ items: [NotificationRecord], next: String?, isCutOff: Bool = false) -> HistoryResult {
        .page(
            NotificationHistoryPage(
                items: items, paginationToken: next, isCutOff: isCutOff, answer: ScriptedApple.answered(200)))
    }

    static func expired() -> HistoryResult {
        .failed(.refused(ScriptedApple.answered(400, code: 4_000_017, message: "expired")))
    }
}

extension Desk {
    var historyJob: HistoryJob {
        let history = history
        return HistoryJob(
            database: database, vault: vault, tokens: replies.tokens,
            intake: HistoryIntake(apple: side, headers: headers), bell: bell, clock: clock.clock, journal: .silent,
            counters: test.counters, limits: history.limits
        ) { _, request, page, environment, _ in await history.answer(request, page, environment) }
    }

    /// The alpha app's history of one environment is read from now on, and nobody else's.
    func beginHistory(_ environment: Environment = .production) async throws {
        let now = now
        _ = try await database.transaction(.house) { tx in try await HistoryRound.keep(atOnce: false, at: now, in: tx) }
        let lane = App.lane(alpha.app.id, isSandbox: environment == .sandbox)
        try await test.asSuperuser("delete from queue.jobs where kind = 'history' and lane <> \(lane)")
        try await test.asSuperuser(
            "delete from refunds.histories where app_id <> \(alpha.app.id.rawValue) or environment <> \(environment.rawValue)"
        )
    }

    /// The clock goes on to the next sweep, and it is made.
    func sweep() async throws {
        if let row = try await test.asSuperuser("select min(due_at) as due from refunds.histories").first,
            let due = try row("due") as Moment?, due > now
        {
            clock.set(due)
        }
        try await work()
    }

    func historyStanding(_ environment: Environment = .production) async throws -> HistoryStanding {
        let all = try await Records(database: database).histories(of: alpha.app.tenant, at: now)
        return try #require(all[alpha.app.id]?[isSandbox: environment == .sandbox])
    }

    /// A request about a purchase of its own.
    func request(_ number: Int, signedAt: Moment, _ change: (inout J) -> Void = { _ in }) throws -> J {
        try note(
            "CONSUMPTION_REQUEST",
            tx {
                $0["transactionId"] = .text("\(2_000_000_900_001_000 + number)")
                $0["originalTransactionId"] = .text("\(2_000_000_900_001_000 + number)")
            }
        ) {
            $0["signedDate"] = .number(signedAt.milliseconds)
            change(&$0)
        }
    }

    /// Apple lists it.
    @discardableResult
    func list(_ note: J, signedAt: Moment, isDelivered: Bool = false, by signer: AppleSigner? = nil) throws -> String {
        let signed = try (signer ?? chain).sign(note)
        history.list(signed, signedAt: signedAt, isDelivered: isDelivered)
        return signed
    }
}

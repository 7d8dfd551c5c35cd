import FoundationEssentials
import Journal
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Time

@testable import AppStore
@testable import Refunds

/// Apple's own records of customers: two lists for each transaction, page by page; answers that were written down go
/// before.
final class ScriptedRecords: Sendable {
    struct Call: Sendable, Hashable {
        let list: Past.List
        let transaction: String
        let revision: String?
        let environment: Environment
    }

    private struct State {
        var lists: [Past.List: [String]] = [:]
        var script: [TransactionsResult] = []
        var always: TransactionsResult?
        var calls: [Call] = []
        var pageSize = 20
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }
    func pages(of size: Int) { state.withLock { $0.pageSize = size } }
    func script(_ results: TransactionsResult...) { state.withLock { $0.script += results } }
    func always(_ result: TransactionsResult?) { state.withLock { $0.always = result } }
    /// Apple lists it from now on.
    func add(_ signed: String, to list: Past.List) { state.withLock { $0.lists[list, default: []].append(signed) } }

    func answer(
        _ list: Past.List, _ transaction: String, _ revision: String?, _ environment: Environment
    ) -> TransactionsResult {
        state.withLock { state in
            state.calls.append(
                Call(list: list, transaction: transaction, revision: revision, environment: environment))
            if !state.script.isEmpty { return state.script.removeFirst() }
            if let always = state.always { return always }
            let all = state.lists[list] ?? []
            let skip = revision.flatMap { Int($0) } ?? 0
            let page = all.dropFirst(skip).prefix(state.pageSize)
            let end = skip + page.count
            return Self.page(Array(page), revision: "\(end)", hasMore: end < all.count)
        }
    }

    static func page(_ signed: [String], revision: String?, hasMore: Bool) -> TransactionsResult {
        .page(
            SignedTransactionsPage(
                signedTransactions: signed, revision: revision, hasMore: hasMore, answer: ScriptedApple.answered(200)))
    }
}

extension Desk {
    var pastJob: PastJob {
        let records = records
        return PastJob(
            database: database, vault: vault, tokens: replies.tokens, intake: PastIntake(apple: side), bell: bell,
            clock: clock.clock, journal: .silent, counters: test.counters
        ) { list, _, transaction, revision, environment, _ in
            records.answer(list, transaction, revision, environment)
        }
    }

    /// Apple took the key for the alpha app: what asks for records waits for that.
    func takeKey(_ environment: Environment = .production) async throws {
        let (app, now, vault, isSandbox) = (alpha.app, now, vault, environment == .sandbox)
        _ = try await database.transaction(app.tenant.scope) { tx -> Bool in
            guard let key = try await vault.signingKey(of: app.tenant, for: app.id, isSandbox: isSandbox, in: tx) else {
                return false
            }
            try await KeyStandings.accepted(key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, at: now, in: tx)
            return true
        }
    }

    var importJob: ImportJob {
        let history = history
        return ImportJob(
            database: database, vault: vault, tokens: replies.tokens,
            intake: HistoryIntake(apple: side, headers: headers), bell: bell, clock: clock.clock, journal: .silent,
            counters: test.counters
        ) { _, request, page, environment, _ in await history.answer(request, page, environment) }
    }

    /// Looks at the cases that wait for Apple's decision, as the caretaker does, and works off what that brings.
    func lookForDecisions() async throws {
        let now = now
        _ = try await database.transaction(.house) { tx in try await DecisionRound.keep(at: now, in: tx) }
        try await work()
    }
}
